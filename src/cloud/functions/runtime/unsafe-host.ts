import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Duplex } from 'node:stream'
import { descriptorOf, type JailedProcess } from '#platform/jail'
import { linePrefixOf } from '../settings.ts'
import { noProgram } from './errors.ts'
import type { WorkerHost, WorkerStart } from './host.ts'
import { workerdArguments } from './jailed-host.ts'
import { workerdProgram } from './workerd.ts'

/** The descriptor of the first socket, after the three standard ones and the pipe that ends with this server. */
const firstSocket = 4

/** Kills the program when the pipe ends, which it does with this server, however that ends. */
const killOnPipeEndScript = '{ cat <&3; kill -9 $$; } >/dev/null 2>&1 & exec "$0" "$@" 3<&-'

/** The host that starts workerd without a jail, for `functions.mode: unsafe_dev`: only workerd itself keeps functions from this machine. */
export function unsafeHost(): Pick<WorkerHost, 'state' | 'inJail' | 'prefix' | 'user' | 'start'> {
  const program = workerdProgram()
  return {
    inJail: false,
    prefix: linePrefixOf('unsafe_dev'),
    user: () => ({ id: undefined, [Symbol.dispose]() {} }),
    state: async () => (program === undefined ? { kind: 'refused', why: noProgram } : { kind: 'unsafe_dev' }),
    async start({ config, sockets, folder }: WorkerStart): Promise<JailedProcess> {
      const place = path.join(folder, 'config.capnp')
      await writeFile(place, config, { mode: 0o600 })
      const args = [
        '-c',
        killOnPipeEndScript,
        program!,
        ...workerdArguments(place, sockets.length, firstSocket),
      ]
      const child = spawn('/bin/sh', args, {
        cwd: folder,
        env: { PATH: '/usr/bin:/bin' },
        stdio: ['ignore', 'pipe', 'pipe', 'pipe', ...sockets.map(descriptorOf)],
      })
      const lifetimePipe = child.stdio[3] as Duplex
      lifetimePipe.on('error', () => {})
      const ended = once(child, 'exit').then(
        ([code, signal]) => {
          lifetimePipe.destroy()
          return { code: code as number | null, signal: signal as NodeJS.Signals | null }
        },
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
