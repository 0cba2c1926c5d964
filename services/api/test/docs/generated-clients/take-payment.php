<?php

/** Takes a payment with the generated PHP client in the folder of the first argument. */
namespace GuzzleHttp\Psr7 {
    /** This version of the generator writes for Guzzle 6; Guzzle 7 has the function as a method. */
    function build_query(array $parameters): string
    {
        return Query::build($parameters);
    }
}

namespace {
    // The client is older than this PHP, which warns of what it will refuse one day.
    error_reporting(E_ALL & ~E_DEPRECATED);
    require 'GuzzleHttp/autoload.php';
    [, $folder, $host, $token] = $argv;
    spl_autoload_register(function (string $class) use ($folder) {
        if (str_starts_with($class, 'Payments\\')) {
            require $folder . '/lib/' . strtr(substr($class, strlen('Payments\\')), '\\', '/') . '.php';
        }
    });

    $configuration = (new Payments\Configuration())->setHost($host)->setAccessToken($token);
    $api = new Payments\Api\PaymentsApi(new GuzzleHttp\Client(), $configuration);
    $order = ['amount' => 19.9, 'observation' => 'Açaí', 'reference' => 'pedido-42'];
    $created = $api->createPayment(new Payments\Model\CreatePayment($order));
    $read = $api->getPayment($created->getId());
    $page = $api->listPayments(1, 1, 'pending');
    try {
        $api->getPayment('0199f3a2-6c1e-7d40-8a5b-2f9c4e7d1b36');
    } catch (Payments\ApiException $error) {
        $refusal = [$error->getCode(), json_decode($error->getResponseBody())->message];
    }
    echo json_encode([
        'created' => [
            $created->getStatus(), $created->getAmount(), $created->getFeeAmount(), $created->getEmail(), $created->getIsPublic(),
        ],
        'same' => $read->getId() === $created->getId() && $read->getCreatedAt() == $created->getCreatedAt(),
        'read' => [$read->getObservation(), $read->getWebhookUrl(), $read->getReference()],
        'page' => [$page->getTotal(), $page->getLimit(), $page->getItems()[0]->getId() === $created->getId()],
        'refusal' => $refusal,
    ]);
}
