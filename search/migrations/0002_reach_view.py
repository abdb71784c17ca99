"""The reach report as one row for each member and connection."""

from django.db import migrations

VIEW = """
CREATE VIEW search_reachrow AS
SELECT
    connection.id || '-' || audience.id AS id,
    connection.organization_id,
    audience.member_id,
    connection.connector,
    connection.connection,
    connection.label,
    connection.owner,
    tools.tools,
    cardinality(tools.tools) AS tool_count
FROM search_reachconnection AS connection
JOIN search_reachaudience AS audience ON audience.audience = connection.audience
JOIN search_reachmember AS member ON member.member_id = audience.member_id
JOIN search_reachallowance AS allowance ON allowance."group" = member."group"
JOIN search_reachtools AS tools ON tools.id = allowance.tools AND tools.connector = connection.connector
"""


class Migration(migrations.Migration):
    dependencies = [("search", "0001_initial")]

    operations = [migrations.RunSQL(VIEW, "DROP VIEW search_reachrow")]
