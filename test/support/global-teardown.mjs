export default async function tearDown() {
  await globalThis.releaseTestPostgres();
}
