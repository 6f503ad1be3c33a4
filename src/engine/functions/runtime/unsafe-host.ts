import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { descriptorOf, type JailedProcess } from '#platform/jail'
import { noProgram } from './errors.ts'
import type { WorkerHost, WorkerStart } from './host.ts'
import { workerdWords } from './jailed-host.ts'
import { workerdProgram } from './workerd.ts'

/** Standard input and both outputs stand before it. */
const firstSocket = 3

/** workerd as it is, for `functions.mode: unsafe_dev`: nothing but itself keeps what it runs from this machine. */
export function unsafeHost(): Pick<WorkerHost, 'state' | 'inJail' | 'prefix' | 'user' | 'start'> {
  const program = workerdProgram()
  return {
    inJail: false,
    prefix: '[unsafe_dev] ',
    user: () => ({ id: undefined, [Symbol.dispose]() {} }),
    state: async () => (program === undefined ? { kind: 'refused', why: noProgram } : { kind: 'unsafe_dev' }),
    async start({ config, sockets, folder }: WorkerStart): Promise<JailedProcess> {
      const place = path.join(folder, 'config.capnp')
      await writeFile(place, config, { mode: 0o600 })
      const child = spawn(program!, workerdWords(place, sockets.length, firstSocket), {
        cwd: folder,
        env: {},
        stdio: ['ignore', 'pipe', 'pipe', ...sockets.map(descriptorOf)],
      })
      const ended = once(child, 'exit').then(
        ([code, signal]) => ({ code: code as number | null, signal: signal as NodeJS.Signals | null }),
        () => ({ code: null, signal: null }),
      )
      return {
        pid: child.pid,
        stdout: child.stdout!,
        stderr: child.stderr!,
        ended,
        kill: () => void child.kill('SIGKILL'),
      }
    },
  }
}
