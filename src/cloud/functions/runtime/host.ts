import type { Server } from 'node:net'
import type { CloudKey } from '#cloud/clouds'
import type { JailedProcess } from '#platform/jail'
import type { CloudEgress } from '../broker/broker.ts'
import type { CloudProgram, LogLine, RuntimeState } from '../functions.ts'
import type { RuntimeLimits } from './limits.ts'

export interface WorkerStart {
  config: string
  /** The listening sockets, one for each function. */
  sockets: readonly Server[]
  egressPath: string
  /** The folder of this process alone. */
  folder: string
  limits: RuntimeLimits
  user: number | undefined
}

/** Where processes of functions run: in jails, or without any on a developer's machine. */
export interface WorkerHost {
  state(): Promise<RuntimeState>
  readonly inJail: boolean
  /** The prefix of every line that a function writes. */
  readonly prefix: string
  /** A new, empty folder for one process. */
  folder(): Promise<string>
  user(): { id: number | undefined } & Disposable
  openEgress(program: CloudProgram, socketPath: string): Promise<CloudEgress>
  start(start: WorkerStart): Promise<JailedProcess>
  log(cloud: CloudKey, lines: readonly LogLine[]): void
}
