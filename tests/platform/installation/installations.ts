/** Servers on data folders of their own, which are copied and moved as an operator does it. */
import { execFile } from 'node:child_process'
import { chmod, chown, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { Client } from '../../harness/client.ts'
import { freePort } from '../../harness/free-port.ts'
import { type ProcessOptions, type ServerProcess, startProcess } from '../../harness/processes.ts'

export const run = promisify(execFile)
export const amRoot = process.getuid?.() === 0
export const bootstrapKey = `khr_${'k'.repeat(43)}`

/** A folder for data folders. Closed to all others, root's PostgreSQL cannot enter it, and keeps its cluster elsewhere. */
export async function parentFolder(mode = 0o711): Promise<AsyncDisposable & { path: string }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'kherad-installation-'))
  await chmod(folder, mode)
  return {
    path: folder,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  }
}

export interface Installation extends ServerProcess {
  readonly dataDir: string
  readonly client: Client
}

/** The user that runs the program. */
export interface Way {
  name: string
  /** Of the folder above the data folders. */
  mode: number
  under: readonly string[]
  owner?: { uid: number; gid: number }
}

const nobody = { uid: 65534, gid: 65534 }

/** The cluster in the data folder or elsewhere, by root and by a plain user. */
export const ways: Way[] = amRoot
  ? [
      { name: 'root, cluster inside', mode: 0o711, under: [] },
      {
        name: 'a plain user',
        mode: 0o711,
        under: ['setpriv', `--reuid=${nobody.uid}`, `--regid=${nobody.gid}`, '--clear-groups'],
        owner: nobody,
      },
    ]
  : [{ name: 'a plain user', mode: 0o711, under: [] }]

export async function start(
  dataDir: string,
  { way, ...options }: Partial<ProcessOptions> & { way?: Way } = {},
): Promise<Installation> {
  if (way?.owner) {
    await mkdir(dataDir, { recursive: true })
    await chown(dataDir, way.owner.uid, way.owner.gid)
  }
  const server = await startProcess({
    databaseUrl: '',
    bootstrapKey,
    ...(way && { under: way.under }),
    ...options,
    env: { KHERAD_DATA: dataDir, OLLAMA_HOST: 'http://127.0.0.1:1', ...options.env },
  })
  return {
    ...server,
    log: server.log,
    out: server.out,
    dataDir,
    client: new Client(server.url, bootstrapKey, ''),
  }
}

/** What a start that is refused prints, and its exit code. */
export async function refusedStart(
  dataDir: string,
  { under = [], words = [] }: { under?: readonly string[]; words?: readonly string[] } = {},
): Promise<string> {
  const [command, ...rest] = [...under, process.execPath, 'src/main.ts', ...words]
  const port = String(await freePort())
  const env = { PATH: process.env['PATH'], KHERAD_DATA: dataDir, KHERAD_PORT: port, KHERAD_APPS_PORT: 'off' }
  return run(command!, rest, { cwd: path.resolve(import.meta.dirname, '../../..'), env }).then(
    () => 'it has started and ended by itself',
    // Without its log.
    (error: { code: number; stderr: string }) => `${error.code}: ${error.stderr.replaceAll(/^\{.*\n/gm, '')}`,
  )
}

/** As an operator does it, with owners. */
export const copy = (from: string, to: string): Promise<unknown> => run('cp', ['-a', from, to])

/** The id of a call that was answered, by which its receipt is found. */
export async function paidCall({ client }: Pick<Installation, 'client'>): Promise<string> {
  const reply = await client.chat({ model: 'sandbox/fast', max_tokens: 8 })
  if (reply.status !== 200) throw new Error(reply.text)
  return reply.headers.get('x-request-id') ?? ''
}

/** Of these calls, those whose receipts stand in the books of the server. */
export async function known(
  { client }: Pick<Installation, 'client'>,
  ids: readonly string[],
): Promise<string[]> {
  const replies = await Promise.all(ids.map(async (id) => [id, (await client.receipt(id)).status] as const))
  return replies.filter(([, status]) => status === 200).map(([id]) => id)
}

export const readiness = async ({ client }: Pick<Installation, 'client'>): Promise<string[]> => {
  const { body } = await client.get('/health/ready')
  const { warnings = [], error } = body as {
    warnings?: { code: string }[]
    error?: { code: string; details?: { problems?: string[] } }
  }
  return error ? [error.code, ...(error.details?.problems ?? [])] : warnings.map(({ code }) => code)
}

/** The record that a start has written. */
export const recordOf = async (
  dataDir: string,
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever stands there.
): Promise<any> => JSON.parse(await readFile(path.join(dataDir, 'installation.json'), 'utf8'))

/** The command of this checkout, far from any configuration file. */
export async function kherad(dataDir: string, ...words: string[]): Promise<{ code: number; text: string }> {
  const launcher = path.resolve(import.meta.dirname, '../../../cli/kherad.mjs')
  const env = { PATH: process.env['PATH'], KHERAD_DATA: dataDir, KHERAD_LOCALE: 'en' }
  return run(process.execPath, [launcher, ...words], { cwd: tmpdir(), env }).then(
    ({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      text: error.stdout + error.stderr,
    }),
  )
}
