-- The role of the services: the migration, which owns the tables, gives it its rights (SERVICES_ROLE). For development.
create role payments_services login password 'payments_services';
