# A wheel is built from the checkout, and only the wheel and its dependencies are kept.
FROM python:3.11-slim AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY tzconv ./tzconv
COPY migrations ./migrations
RUN python -m pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.11-slim
COPY --from=build /wheels /wheels
# drivers are extras: --build-arg EXTRAS=postgres,vertica
ARG EXTRAS=postgres
RUN python -m pip install --no-cache-dir "$(echo /wheels/tzconv-*.whl)[$EXTRAS]" \
    && rm -r /wheels \
    && useradd --create-home --uid 1000 tzconv
USER 1000
# the folder with your queries and databases: docker run -v "$PWD:/queries" tzconv ...
WORKDIR /queries
ENTRYPOINT ["tzconv"]
