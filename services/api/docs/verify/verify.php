<?php

const TOLERANCE_SECONDS = 300;

/**
 * Verifies a webhook.
 *
 * @param array<string, string> $headers with names in lower case
 * @param string $body exactly as it was received: file_get_contents('php://input')
 * @return array the event; $headers['webhook-id'] says whether you have had it already
 * @throws RuntimeException when it is not from the service, was changed on its way, or is more than five minutes old
 */
function verify_webhook(string $secret, array $headers, string $body): array
{
    $id = $headers['webhook-id'] ?? '';
    $timestamp = $headers['webhook-timestamp'] ?? '';
    $signatures = explode(' ', $headers['webhook-signature'] ?? '');
    if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > TOLERANCE_SECONDS) {
        throw new RuntimeException('The webhook is too old, or its timestamp is missing.');
    }

    $key = base64_decode(preg_replace('/^whsec_/', '', $secret));
    // Anyone could sign with an empty key.
    if ($key === '') {
        throw new RuntimeException('The secret is missing.');
    }
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    // While a secret is being rotated there are two signatures: either will do.
    foreach ($signatures as $given) {
        if (hash_equals($expected, $given)) {
            return json_decode($body, true, 512, JSON_THROW_ON_ERROR);
        }
    }
    throw new RuntimeException('The signature is wrong.');
}
