/** Programs that try to break out: run as they are, and in a jail. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { librariesOf } from '#platform/jail'
import { jail } from '../../cloud/jail/needs-jail.ts'

export interface Probe {
  program: string
  args: readonly string[]
  readable?: readonly { from: string; to: string }[]
  /** What it sees by other paths in the jail. */
  jailedArgs?: readonly string[]
  threads?: number
  dataBytes?: number
}

/** Anything that hangs longer has not ended. */
const timeoutMs = 30_000

export async function runFree({ program, args }: Probe): Promise<string> {
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  })
  const [out] = await Promise.all([text(child.stdout!), once(child, 'close')])
  return out
}

export async function runJailed(probe: Probe): Promise<string> {
  using user = jail.user()
  const started = await jail.start(
    {
      program: probe.program,
      libraries: await librariesOf(probe.program),
      args: probe.jailedArgs ?? probe.args,
      readable: probe.readable ?? [],
      dataBytes: probe.dataBytes ?? 900_000_000,
      threads: probe.threads ?? 64,
    },
    user.id,
  )
  const timer = setTimeout(() => started.kill(), timeoutMs)
  try {
    const [out] = await Promise.all([text(started.stdout), text(started.stderr), started.ended])
    return out
  } finally {
    clearTimeout(timer)
  }
}
