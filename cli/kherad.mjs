#!/usr/bin/env node
// Plain JavaScript that an old Node understands: Kherad runs on the Node 24 that npm brought with it.
import { spawn } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

if (Number(process.versions.node.split('.')[0]) >= 24) await import('./kherad.ts')
else runWithNewer()

function runWithNewer() {
  // Node stands beside us in a checkout, and one folder up where Kherad itself is an installed package.
  const places = ['../node_modules/node/bin/node', '../../node/bin/node'].map((place) =>
    fileURLToPath(new URL(place, import.meta.url)),
  )
  const newer = places
    .flatMap((place) => [place, `${place}.exe`])
    .find((place) => existsSync(place) && realpathSync(place) !== realpathSync(process.execPath))
  if (newer === undefined) refuse()
  else {
    const child = spawn(newer, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
      stdio: 'inherit',
    })
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
    child.on('error', refuse)
    child.on('exit', (code) => {
      process.exitCode = code ?? 1
    })
  }
}

function refuse() {
  process.stderr.write(
    `خرد با Node ۲۴ یا تازه‌تر اجرا می‌شود و این Node ${process.versions.node} است: در پوشهٔ خرد npm ci را اجرا کنید تا Node خودش را بیاورد.\n` +
      `Kherad runs on Node 24 or newer and this is Node ${process.versions.node}: run npm ci in Kherad's folder, which brings its own.\n`,
  )
  process.exitCode = 1
}
