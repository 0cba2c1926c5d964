<?php

/** A shop in plain PHP: it charges by Pix, fulfils an order once its payment is approved, and refunds it. */

// In your shop, copy verify.php beside this file.
require __DIR__ . '/../../services/api/docs/verify/verify.php';

const AMOUNT = 19.9;

/** Calls the service. Sends a POST if there is a body. */
function call(string $path, ?array $body = null, array $headers = []): array
{
    $answer = file_get_contents(getenv('PAYMENTS_URL') . $path, false, stream_context_create(['http' => [
        'method' => $body === null ? 'GET' : 'POST',
        'header' => ['Authorization: Bearer ' . getenv('PAYMENTS_TOKEN'), 'Content-Type: application/json', ...$headers],
        'content' => $body === null ? '' : json_encode((object) $body),
        'timeout' => 15,
    ]]));
    if ($answer === false) {
        throw new RuntimeException("The service refused $path.");
    }
    return json_decode($answer, true, 512, JSON_THROW_ON_ERROR);
}

/**
 * Reads the shop's orders, handled events and cursor, lets a function change them, and writes them, one at a time.
 * A real shop does this in a transaction of its database.
 */
function change(callable $function): mixed
{
    $file = fopen(getenv('SHOP_FILE') ?: 'shop.json', 'c+');
    flock($file, LOCK_EX);
    $shop = json_decode(stream_get_contents($file), true) ?? ['orders' => [], 'events' => [], 'cursor' => null];
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
    $order = ['amount' => AMOUNT, 'payment' => $payment, 'fulfilled' => false, 'refunding' => false, 'refunded' => false];
    change(function (array &$shop) use ($id, $order) {
        $shop['orders'][$id] = $order;
    });
    header("Location: /orders/$id", true, 303);
}

function show_order(string $id): void
{
    follow();
    $order = change(fn (array &$shop) => $shop['orders'][$id] ?? null);
    if ($order === null) {
        http_response_code(404);
        return;
    }
    if ($order['fulfilled']) {
        echo fulfilled_page($id, $order);
        return;
    }
    // Without an answer of the bank there is no code yet: a read shows it later.
    $payment = $order['payment']['qrCopyPaste'] ? $order['payment'] : call("/api-public/payments/{$order['payment']['id']}");
    echo '<meta http-equiv="refresh" content="2"><h1>Pague com Pix</h1>';
    echo $payment['qrCopyPaste']
        ? "<img src=\"{$payment['qrCodeUrl']}\" alt=\"QR code\"><p><code>{$payment['qrCopyPaste']}</code></p>"
        : '<p>Um momento…</p>';
}

function fulfilled_page(string $id, array $order): string
{
    return match (true) {
        $order['refunded'] => '<h1>Devolvido.</h1>',
        $order['refunding'] => '<meta http-equiv="refresh" content="2"><h1>Devolução em andamento…</h1>',
        default => '<h1>Pago. O pedido está a caminho.</h1>'
            . "<form method=\"post\" action=\"/orders/$id/refund\"><button>Devolver</button></form>",
    };
}

/** A real shop lets only its own people refund. The store must allow it to its token. */
function refund_order(string $id): void
{
    $order = change(fn (array &$shop) => $shop['orders'][$id] ?? null);
    if (!($order['fulfilled'] ?? false)) {
        http_response_code(404);
        return;
    }
    // One key for this decision: a retry refunds nothing twice.
    call("/api-public/payments/{$order['payment']['id']}/refunds", [], ["Idempotency-Key: refund-$id"]);
    change(fn (array &$shop) => $shop['orders'][$id]['refunding'] = true);
    header("Location: /orders/$id", true, 303);
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
    handle($headers['webhook-id'], $event);
}

/** Handles an event once, whether a webhook or the feed brings it. */
function handle(string $eventId, array $event): void
{
    if (change(fn (array &$shop) => isset($shop['events'][$eventId]))) {
        log_line("known event $eventId");
        return;
    }
    // The event may be an old one: the payment as it is now counts.
    $isStatus = $event['event'] === 'payment.status_changed';
    $payment = $isStatus ? call("/api-public/payments/{$event['id']}") : null;
    change(function (array &$shop) use ($eventId, $payment) {
        foreach ($shop['orders'] as $id => &$order) {
            if ($payment !== null && $order['payment']['id'] === $payment['id']) {
                settle($id, $order, $payment);
            }
        }
        $shop['events'][$eventId] = true;
    });
}

function settle(string $id, array &$order, array $payment): void
{
    // A shop that was down may see a later status first. Another amount may have been approved: compare it, too.
    $approved = ['approved', 'paid', 'withdrawal_processing', 'receipt_sent', 'rejected'];
    $isPaid = in_array($payment['status'], $approved, true) && $payment['amount'] == $order['amount'];
    if ($isPaid && !$order['fulfilled']) {
        $order['fulfilled'] = true;
        log_line("fulfilled order $id");
    }
    if ($payment['status'] === 'not_approved' && $order['fulfilled'] && !$order['refunded']) {
        $order['refunded'] = true;
        log_line("refunded order $id");
    }
}

/**
 * Webhooks bring events at once. The feed brings those that they did not, such as while the shop was down. PHP runs
 * between requests only by cron: php php-shop.php. Here, each page of an order reads the feed, too.
 */
function follow(): void
{
    try {
        do {
            $cursor = change(fn (array &$shop) => $shop['cursor']);
            $page = call('/api-public/events?limit=200' . ($cursor === null ? '' : "&after=$cursor"));
            foreach ($page['items'] as $item) {
                handle($item['id'], $item['body']);
            }
            change(fn (array &$shop) => $shop['cursor'] = $page['next']);
        } while ($page['items'] !== []);
    } catch (RuntimeException $error) {
        log_line("the feed: {$error->getMessage()}");
    }
}

if (PHP_SAPI === 'cli') {
    follow();
    exit;
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
} elseif (preg_match('#^POST /orders/(\w+)/refund$#', $route, $match)) {
    refund_order($match[1]);
} elseif (str_starts_with($route, 'GET /orders/')) {
    show_order(substr($path, strlen('/orders/')));
} else {
    http_response_code(404);
}
