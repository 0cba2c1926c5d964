<?php
// Save as first-payment.php, then run: php first-payment.php
$authorization = ['Authorization: Bearer ' . getenv('TOKEN')];

function call(string $url, array $headers, ?array $body = null): array
{
    $answer = file_get_contents($url, false, stream_context_create(['http' => [
        'method' => $body === null ? 'GET' : 'POST',
        'header' => ['Content-Type: application/json', ...$headers],
        'content' => $body === null ? '' : json_encode($body),
        'timeout' => 15,
    ]]));
    if ($answer === false) {
        exit(1);
    }
    return json_decode($answer, true);
}

// 1. Create a payment. A retry with the same key creates no second payment.
$payment = call(
    '{base_url}/api-public/payments',
    [...$authorization, 'Idempotency-Key: order-' . hrtime(true)],
    ['amount' => 19.90, 'observation' => 'Pedido 42'],
);

// 2. Show the code to the customer.
echo $payment['qrCopyPaste'], "\n";
echo $payment['id'], "\n";

// local
// 3. The customer pays: here, at the simulated bank.
call('{bank_url}/bank/pay', [], ['pixCopiaECola' => $payment['qrCopyPaste']]);

// /local
// 4. Wait for the result. Only approved means that the money is there.
while ($payment['status'] === 'pending') {
    sleep(1);
    $payment = call("{base_url}/api-public/payments/{$payment['id']}", $authorization);
}
echo $payment['status'], ' ', $payment['amount'], "\n";
