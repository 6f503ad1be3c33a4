import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { PassThrough, Readable, type Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { type Env, readEnv } from '#platform/env'
import { runCommand } from '../../cli/run.ts'
import { compileCache } from '../harness/compile-cache.ts'

export interface Ran {
  code: number | null
  out: string
  err: string
  /** What `--json` printed, parsed. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came.
  json: any
}

export const launcher = path.resolve(import.meta.dirname, '../../cli/kherad.mjs')

type Run = (env: Record<string, string>, ...words: string[]) => Promise<Ran>

/**
 * What a command does for an operator who gives it only this environment, far from any configuration file. It runs in this process, since
 * starting one takes longer than nearly every command; that it ends by itself is seen of those that run as a process.
 */
async function runHere(env: Record<string, string>, ...words: string[]): Promise<Ran> {
  for (let tries = 1; ; tries++) {
    const seen = await runOnce(env, ...words)
    // In nearly all cases it is the first connection, before anything was done.
    if (seen.code !== 1 || seen.out !== '' || tries === maxTries || !databaseStoodStill.test(seen.err))
      return seen
  }
}

const maxTries = 4
/** Of the sentence that refuses a command to which the database gave no connection in time. */
const databaseStoodStill = /\(Connection terminated due to connection timeout\)/

async function runOnce(env: Record<string, string>, ...words: string[]): Promise<Ran> {
  const stdout = new PassThrough()
  const stderr = new PassThrough()
  const running = runCommand(words, awayFromHere(env), { stdout, stderr, stop: new AbortController().signal })
  const over = running.finally(() => {
    stdout.end()
    stderr.end()
  })
  return ran(words, Promise.all([text(stdout), text(stderr), over]))
}

/** The environment of a command that is started in the folder of temporary files. */
function awayFromHere(variables: Record<string, string>): Env {
  const env = readEnv({ PATH: process.env['PATH'], ...variables })
  const there = (file: string): string => path.resolve(tmpdir(), file)
  return { ...env, dataDir: there(env.dataDir), configFile: there(env.configFile) }
}

const commandsBy = (kherad: Run) => ({
  kherad,
  /** Runs a command that has to succeed quietly, and answers its JSON document. */
  async done(env: Record<string, string>, ...words: string[]): Promise<Ran['json']> {
    const ran = await kherad(env, ...words, '--json')
    if (ran.code !== 0 || ran.err !== '') throw new Error(`kherad ${words.join(' ')}: ${ran.code} ${ran.err}`)
    return ran.json
  },
  /** Runs a command that has to be refused, and answers its exit code and its error. */
  async refused(
    env: Record<string, string>,
    ...words: string[]
  ): Promise<{ exit: number | null; code: string; message: string }> {
    const ran = await kherad(env, ...words, '--json')
    if (ran.out !== '') throw new Error(`kherad ${words.join(' ')} said ${ran.out}`)
    const { error } = JSON.parse(ran.err) as { error: { code: string; message: string } }
    return { exit: ran.code, ...error }
  },
})

export const { kherad, done, refused } = commandsBy(runHere)
/** The same, each as a process, which has to end by itself and whose environment is no other than what is given. */
export const asProcess = commandsBy((env, ...words) => ended(start(env, words), words))

/** Starts it in a folder, with standard input if there is any. */
export function start(
  env: Record<string, string>,
  words: readonly string[],
  { cwd = tmpdir(), input }: { cwd?: string; input?: AsyncIterable<string> | Iterable<string> } = {},
): ChildProcessByStdio<Writable | null, Readable, Readable> {
  const child = spawn(process.execPath, [launcher, ...words], {
    cwd,
    env: { PATH: process.env['PATH'], ...compileCache, ...env },
    stdio: [input ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  })
  // It may leave before it has read everything.
  if (input) pipeline(Readable.from(input), child.stdin!).catch(() => undefined)
  return child as ChildProcessByStdio<Writable | null, Readable, Readable>
}

export const ended = (
  child: ChildProcessByStdio<Writable | null, Readable, Readable>,
  words: readonly string[],
): Promise<Ran> =>
  ran(
    words,
    Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit').then(([code]) => code)]),
  )

async function ran(
  words: readonly string[],
  over: Promise<[out: string, err: string, code: number | null]>,
): Promise<Ran> {
  const [out, err, code] = await over
  const asked = words.includes('--json') && out !== ''
  return { code, out, err, json: asked ? JSON.parse(out) : undefined }
}
