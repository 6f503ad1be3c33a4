/**
 * A process that runs the PostgreSQL of a folder until its standard input ends, even if its parent is killed, so that a killed test
 * run leaves nothing behind. Prints one line: the address, or the message with which the start was refused.
 *
 *   node postgres-owner.ts <data folder> [--temporary] [--creates-databases] [setting=value …]
 */
import { readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { StartRefused } from '#platform/errors'
import { startEmbedded } from '#platform/postgres'

const [dataDir = '', ...words] = process.argv.slice(2)
const settings = Object.fromEntries(words.filter((word) => word.includes('=')).map((word) => word.split('=')))
const quiet = { info() {}, warn() {} }

try {
  const embedded = await startEmbedded({ dataDir, log: quiet, settings })
  if (words.includes('--creates-databases')) await mayCreateDatabases(embedded.url)
  process.stdout.write(`${JSON.stringify({ url: embedded.url })}\n`)
  for await (const _ of process.stdin);
  await embedded[Symbol.asyncDispose]()
} catch (error) {
  if (!(error instanceof StartRefused)) throw error
  process.stdout.write(`${JSON.stringify({ refused: error.message })}\n`)
}
/** Each test creates its own database with the role that the program uses. */
async function mayCreateDatabases(url: string): Promise<void> {
  const admin = new URL(url)
  const { username: role } = admin
  admin.username = 'kherad'
  admin.pathname = '/postgres'
  admin.password = (await readFile(path.join(dataDir, 'postgres.password'), 'utf8')).trim()
  const client = new pg.Client(admin.href)
  await client.connect()
  await client.query(`alter role ${role} createdb`)
  await client.end()
}

if (words.includes('--temporary')) await rm(dataDir, { recursive: true, force: true })
