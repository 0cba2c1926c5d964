<?php

// Save as follow.php, and run it every minute, by cron: php follow.php
// Needs the extension pdo_sqlite.
$db = new PDO('sqlite:' . __DIR__ . '/events.db');
$db->exec('create table if not exists handled (id text primary key)');
$db->exec('create table if not exists place (one integer primary key, next text)');

// Your webhook receiver calls this, too, with the webhook-id, once the signature is verified.
function handle(PDO $db, string $id, array $event): void
{
    $db->beginTransaction();
    $handled = $db->prepare('insert or ignore into handled values (?)');
    $handled->execute([$id]);
    // Your work, in the same transaction: after a crash, the event comes again.
    if ($handled->rowCount() === 1) {
        echo $event['event'], ' ', $id, "\n";
    }
    $db->commit();
}

function follow(PDO $db): bool
{
    $next = $db->query('select next from place')->fetchColumn();
    $url = '{base_url}/api-public/events?limit=200' . ($next ? "&after=$next" : '');
    $context = ['http' => ['header' => 'Authorization: Bearer ' . getenv('TOKEN'), 'timeout' => 15]];
    $answer = file_get_contents($url, false, stream_context_create($context));
    if ($answer === false) {
        exit(1);
    }
    $page = json_decode($answer, true);
    foreach ($page['items'] as $item) {
        handle($db, $item['id'], $item['body']);
    }
    // Keep the place only now: all of the page is handled.
    $db->prepare('insert or replace into place values (1, ?)')->execute([$page['next']]);
    return $page['items'] !== [];
}

if (realpath($_SERVER['SCRIPT_FILENAME']) === __FILE__) {
    while (follow($db));
}
