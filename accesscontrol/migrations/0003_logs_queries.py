"""Whether an organization keeps what its members search for."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accesscontrol", "0002_audit_chain")]

    operations = [
        migrations.AddField(
            model_name="organization",
            name="logs_queries",
            field=models.BooleanField(
                default=False,
                help_text="Keeps what members search for, with who and when, which tools they were shown and which they then called, to measure how well search finds your tools. Each search is kept for 90 days, also when this is turned off; those who may see the audit trail can read it.",
                verbose_name="log search queries",
            ),
        ),
    ]
