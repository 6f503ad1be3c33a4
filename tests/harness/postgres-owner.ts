/**
 * A process that uses the PostgreSQL of a folder until its input ends, however its parent ends: so a killed test run
 * leaves nothing behind. Says one line: its address, or the sentence with which the start was refused.
 *
 *   node postgres-owner.ts <data folder> [--temporary] [setting=value …]
 */
import { rm } from 'node:fs/promises'
import { StartRefused, startEmbedded } from '#platform/db'

const [dataDir = '', ...words] = process.argv.slice(2)
const settings = Object.fromEntries(words.filter((word) => word.includes('=')).map((word) => word.split('=')))
const quiet = { info() {}, warn() {} }

try {
  const embedded = await startEmbedded({ dataDir, log: quiet, settings })
  process.stdout.write(`${JSON.stringify({ url: embedded.url })}\n`)
  for await (const _ of process.stdin);
  await embedded[Symbol.asyncDispose]()
} catch (error) {
  if (!(error instanceof StartRefused)) throw error
  process.stdout.write(`${JSON.stringify({ refused: error.message })}\n`)
}
if (words.includes('--temporary')) await rm(dataDir, { recursive: true, force: true })
