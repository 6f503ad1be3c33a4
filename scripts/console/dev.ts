/**
 * Serves the sources of the console while they are worked on, with every piece in all its states at /gallery.html. Calls go to the server at
 * KHERAD_URL.
 */
import { ownRoot } from '#account/console-build'
import { viteConfig } from './vite-config.ts'

const { createServer } = await import('vite')
const { build: _build, html: _html, ...config } = viteConfig(ownRoot)
const target = process.env['KHERAD_URL'] ?? 'http://127.0.0.1:8787'
const server = await createServer({
  ...config,
  server: { port: 5173, proxy: { '/v1': target, '/docs': target } },
})
await server.listen()
// The port may be another one, where somebody else has that of the settings.
for (const address of server.resolvedUrls?.local ?? []) process.stdout.write(`${address}gallery.html\n`)
