"""The query log."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accesscontrol", "0003_logs_queries"),
        ("search", "0002_reach_view"),
    ]

    operations = [
        migrations.CreateModel(
            name="LoggedQuery",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("query", models.CharField(blank=True, max_length=500)),
                ("matched", models.PositiveIntegerField(help_text="How many tools answered it.")),
                (
                    "returned",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=60),
                        help_text="The callable ones it was shown, best first.",
                    ),
                ),
                ("chosen", models.CharField(blank=True, max_length=60)),
                (
                    "member",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="accesscontrol.member",
                    ),
                ),
                (
                    "organization",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="accesscontrol.organization",
                    ),
                ),
            ],
            options={
                "verbose_name": "logged query",
                "verbose_name_plural": "logged queries",
                "ordering": ["-at", "-id"],
                "indexes": [
                    models.Index(fields=["organization", "-at", "-id"], name="logged_query_by_time"),
                    models.Index(fields=["member", "-at", "-id"], name="logged_query_by_member"),
                    models.Index(fields=["at"], name="logged_query_by_age"),
                ],
            },
        ),
    ]
