# The service in two stages: what compiles stays behind.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run -s build && npm prune --omit=dev --no-audit --no-fund \
  # Types and source maps of packages are half of their bytes, and nothing reads them here.
  && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete

FROM node:24-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
# The user node, number 1000, comes with the image; it owns nothing but the folder of the attachments.
RUN install -d -o node -g node -m 0700 /data
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/docs ./docs
COPY --from=build /app/dist ./dist
# A container's own loopback reaches nobody.
# Of Node.js, where names are looked up that may take long.
ENV UV_THREADPOOL_SIZE=64
ENV WTS_DATA_DIR=/data WTS_HOST=:: PORT=3000
VOLUME ["/data"]
USER node
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "--input-type=module", "--eval", "const { status } = await fetch(`http://127.0.0.1:${process.env.PORT}/health/live`); process.exit(status === 200 ? 0 : 1)"]
# Not by npm, which is not needed here.
CMD ["node", "--enable-source-maps", "dist/main.js"]
