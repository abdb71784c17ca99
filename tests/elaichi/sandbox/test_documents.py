"""The products' OpenAPI documents, and that each documented operation is served."""

import httpx2
import pytest

from elaichi.sandbox.app import PRODUCTS
from elaichi.sandbox.document import Document


@pytest.mark.parametrize("product", PRODUCTS)
def test_the_document_names_the_address_that_it_is_served_at(anybody: httpx2.Client, url: str, product: str) -> None:
    document = anybody.get(f"/{product}/openapi.json").json()
    assert document["servers"] == [{"url": f"{url}/{product}"}]
    assert document["openapi"][:3] in ("3.0", "3.1")


@pytest.mark.parametrize("product", PRODUCTS)
def test_every_documented_operation_is_served_and_described(product: str) -> None:
    document = Document(product, "http://sandbox.example")
    documented = {operation.id for operation in document.operations}
    assert documented == set(PRODUCTS[product]("Acme").operations)
    assert 7 <= len(documented) <= 10
    for item in document.content["paths"].values():
        for method in item.keys() - {"parameters"}:
            assert item[method]["summary"]
            assert item[method]["description"].endswith(".")
