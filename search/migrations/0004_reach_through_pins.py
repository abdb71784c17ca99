"""What pins of shared toolboxes hand out is in the reach report."""

import django.db.models.deletion
from django.db import migrations, models

WITHOUT_PINS = """
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
WITH_PINS = (
    WITHOUT_PINS.replace("tools.tools,", "'' AS toolbox,\n    tools.tools,")
    + """
UNION ALL
SELECT
    'pin-' || pin.id || '-' || audience.id,
    pin.organization_id,
    audience.member_id,
    pin.connector,
    pin.connection,
    pin.label,
    pin.owner,
    pin.toolbox,
    tools.tools,
    cardinality(tools.tools)
FROM search_reachpin AS pin
JOIN search_reachaudience AS audience ON audience.audience = pin.audience
JOIN search_reachtools AS tools ON tools.id = pin.tools
"""
)
DROP = "DROP VIEW search_reachrow"


class Migration(migrations.Migration):
    dependencies = [("accesscontrol", "0001_initial"), ("search", "0003_query_log")]

    operations = [
        migrations.CreateModel(
            name="ReachPin",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("connection", models.UUIDField()),
                ("connector", models.CharField(max_length=48)),
                ("label", models.CharField(max_length=100)),
                ("owner", models.EmailField(max_length=254)),
                ("toolbox_id", models.UUIDField()),
                ("toolbox", models.CharField(max_length=100)),
                ("tools", models.UUIDField()),
                ("audience", models.UUIDField(db_index=True)),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="accesscontrol.organization"
                    ),
                ),
            ],
        ),
        migrations.RunSQL(DROP, WITHOUT_PINS),
        migrations.RunSQL(WITH_PINS, DROP),
    ]
