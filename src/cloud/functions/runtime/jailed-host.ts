import { firstSocket, type Jail, type JailedProcess, librariesOf } from '#platform/jail'
import { linePrefixOf } from '../settings.ts'
import { noProgram } from './errors.ts'
import type { WorkerHost, WorkerStart } from './host.ts'
import { socketName } from './worker-config.ts'
import { workerdProgram } from './workerd.ts'

export const configPath = '/config.capnp'

/** The host that starts workerd in a jail, where it sees itself, its configuration and the socket of the broker. */
export function jailedHost(jail: Jail): Pick<WorkerHost, 'state' | 'inJail' | 'prefix' | 'user' | 'start'> {
  const program = workerdProgram()
  let libraries: Promise<string[]> | undefined
  return {
    inJail: true,
    prefix: linePrefixOf('jailed'),
    user: () => jail.user(),
    async state() {
      if (program === undefined) return { kind: 'refused', why: noProgram }
      const state = await jail.state()
      return state.kind === 'jailed' ? { kind: 'jailed' } : state
    },
    async start({ config, sockets, egressPath, limits, user }: WorkerStart): Promise<JailedProcess> {
      libraries ??= librariesOf(program!)
      return jail.start(
        {
          program: program!,
          libraries: await libraries,
          args: workerdArguments(configPath, sockets.length, firstSocket(1)),
          readable: [{ from: egressPath, to: '/egress' }],
          files: [{ path: configPath, content: config }],
          sockets,
          dataBytes: limits.dataBytes,
          threads: limits.threads,
        },
        user,
      )
    },
  }
}

/** The arguments of workerd, which inherits a descriptor for each socket. */
export const workerdArguments = (config: string, sockets: number, first: number): string[] => [
  'serve',
  config,
  ...Array.from({ length: sockets }, (_, index) => `--socket-fd=${socketName(index)}=${first + index}`),
]
