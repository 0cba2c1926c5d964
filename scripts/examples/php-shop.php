<?php

/** A shop in plain PHP: it charges by Pix, and fulfils an order once its payment is approved. */

// In your shop, copy verify.php beside this file.
require __DIR__ . '/../../services/api/docs/verify/verify.php';

const AMOUNT = 19.9;

/** Calls the service. Sends a POST if there is a body. */
function call(string $path, ?array $body = null, array $headers = []): array
{
    $answer = file_get_contents(getenv('PAYMENTS_URL') . $path, false, stream_context_create(['http' => [
        'method' => $body === null ? 'GET' : 'POST',
        'header' => ['Authorization: Bearer ' . getenv('PAYMENTS_TOKEN'), 'Content-Type: application/json', ...$headers],
        'content' => $body === null ? '' : json_encode($body),
        'timeout' => 15,
    ]]));
    if ($answer === false) {
        throw new RuntimeException("The service refused $path.");
    }
    return json_decode($answer, true, 512, JSON_THROW_ON_ERROR);
}

/**
 * Reads the shop's orders and handled webhooks, lets a function change them, and writes them, one request at a time.
 * A real shop does this in a transaction of its database.
 */
function change(callable $function): mixed
{
    $file = fopen(getenv('SHOP_FILE') ?: sys_get_temp_dir() . '/payments-shop.json', 'c+');
    flock($file, LOCK_EX);
    $shop = json_decode(stream_get_contents($file), true) ?? ['orders' => [], 'webhooks' => []];
    $result = $function($shop);
    ftruncate($file, 0);
    rewind($file);
    fwrite($file, json_encode($shop));
    fclose($file);
    return $result;
}

function log_line(string $line): void
{
    file_put_contents('php://stderr', "$line\n");
}

function create_order(): void
{
    $id = bin2hex(random_bytes(16));
    $payment = call('/api-public/payments', [
        'amount' => AMOUNT,
        'observation' => "Pedido $id",
        'webhookUrl' => getenv('SHOP_URL') . '/webhooks',
        // The order's own key: a retry creates no second payment.
    ], ["Idempotency-Key: $id"]);
    $order = ['amount' => AMOUNT, 'fulfilled' => false, 'payment' => $payment];
    change(function (array &$shop) use ($id, $order) {
        $shop['orders'][$id] = $order;
    });
    header("Location: /orders/$id", true, 303);
}

function show_order(string $id): void
{
    $order = change(fn (array &$shop) => $shop['orders'][$id] ?? null);
    if ($order === null) {
        http_response_code(404);
        return;
    }
    if ($order['fulfilled']) {
        echo '<h1>Pago. O pedido está a caminho.</h1>';
        return;
    }
    // Without an answer of the bank there is no code yet: a read shows it later.
    $payment = $order['payment']['qrCopyPaste'] ? $order['payment'] : call("/api-public/payments/{$order['payment']['id']}");
    echo '<meta http-equiv="refresh" content="2"><h1>Pague com Pix</h1>';
    echo $payment['qrCopyPaste']
        ? "<img src=\"{$payment['qrCodeUrl']}\" alt=\"QR code\"><p><code>{$payment['qrCopyPaste']}</code></p>"
        : '<p>Um momento…</p>';
}

function receive_webhook(): void
{
    $headers = [];
    foreach (['webhook-id', 'webhook-timestamp', 'webhook-signature'] as $name) {
        $headers[$name] = $_SERVER['HTTP_' . strtoupper(strtr($name, '-', '_'))] ?? '';
    }
    try {
        // The signature covers the raw body: parse it only afterwards.
        $event = verify_webhook(getenv('WEBHOOK_SECRET'), $headers, file_get_contents('php://input'));
    } catch (RuntimeException) {
        http_response_code(401);
        return;
    }
    change(fn (array &$shop) => handle($shop, $headers['webhook-id'], $event));
}

function handle(array &$shop, string $webhookId, array $event): void
{
    if (isset($shop['webhooks'][$webhookId])) {
        log_line("known webhook $webhookId");
        return;
    }
    $shop['webhooks'][$webhookId] = true;
    foreach ($shop['orders'] as $id => &$order) {
        // Another amount may have been approved: compare it before you deliver.
        $isPaid = $event['status'] === 'approved' && $event['amount'] == $order['amount'];
        if ($order['payment']['id'] === $event['id'] && $isPaid && !$order['fulfilled']) {
            $order['fulfilled'] = true;
            log_line("fulfilled order $id");
        }
    }
}

$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
$route = "{$_SERVER['REQUEST_METHOD']} $path";
header('Content-Type: text/html; charset=utf-8');
if ($route === 'GET /') {
    echo '<h1>Loja</h1><form method="post" action="/orders"><button>Comprar por R$ 19,90</button></form>';
} elseif ($route === 'POST /orders') {
    create_order();
} elseif ($route === 'POST /webhooks') {
    receive_webhook();
} elseif (str_starts_with($route, 'GET /orders/')) {
    show_order(substr($path, strlen('/orders/')));
} else {
    http_response_code(404);
}
