# Loci as a container image: docs/deploy.md. It has Node, the libraries that Node is linked to, Loci and its model, and no shell.

FROM node:24-trixie-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY tools tools
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build

FROM node:24-trixie-slim AS files
WORKDIR /image/app
COPY package.json package-lock.json .npmrc ./
COPY tools tools
RUN npm ci --omit=dev --ignore-scripts && rm -r package-lock.json .npmrc tools
COPY LICENSE openclaw.plugin.json ./
COPY bin bin
COPY --from=build /build/dist dist
# The command `loci` cannot use `env`, which the image does not have.
RUN sed -i '1s|.*|#!/usr/local/bin/node|' bin/loci.js && chmod 755 bin/loci.js
RUN ldd /usr/local/bin/node | grep -o '/[^ ]*' | xargs cp --parents --dereference --target-directory=/image /usr/local/bin/node \
  && ln -s /app/bin/loci.js /image/usr/local/bin/loci
RUN mkdir /image/etc \
  && echo 'loci:x:65532:65532:Loci:/var/lib/loci:/usr/local/bin/loci' > /image/etc/passwd \
  && echo 'loci:x:65532:' > /image/etc/group
# The checkout may have files that only their owner reads.
RUN chmod -R a+rX /image && install -d -m 0700 /data/loci

FROM scratch
COPY --from=files /image /
COPY --from=files --chown=65532:65532 /data /var/lib
# The home is the only folder that is written to.
ENV PATH=/usr/local/bin HOME=/var/lib/loci TMPDIR=/var/lib/loci LOCI_HOME=/var/lib/loci LOCI_SERVER_HOST=0.0.0.0
USER 65532:65532
WORKDIR /var/lib/loci
EXPOSE 8737
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.LOCI_SERVER_PORT ?? 8737}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["loci"]
CMD ["serve"]
