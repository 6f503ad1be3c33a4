/**
 * A jail for programs that run code of strangers (docs/decisions/0073). It fails closed: where this machine cannot build one that was seen to
 * hold, nothing runs.
 */
import type { Localized } from '#platform/errors'
import type { Log } from '#platform/log'
import { selfTest } from './self-test.ts'
import { type JailedProcess, type JailedProgram, type JailTools, startJailed } from './start.ts'
import { openUsers } from './users.ts'

export { foldersAbove } from './bubblewrap.ts'
export { librariesOf } from './libraries.ts'
export { type Consumption, lowerPriority, type Meter, openMeter } from './meter.ts'
export {
  isRunningAlready,
  type JailedServer,
  pidIn,
  type StartedServer,
  startServerInJail,
} from './server.ts'
export { descriptorOf, firstSocket, type JailedProcess, type JailTools } from './start.ts'

/** Whether a jail can be built here; `tools` are those that build it. */
export type JailState =
  | { kind: 'jailed'; tools: JailTools }
  /** `isSure`: false where the test did not end as it should, on a busy machine perhaps; then the next one who asks has it done again. */
  | { kind: 'refused'; why: Localized; isSure: boolean }

export interface Jail {
  /** Tries to break out of one, the first time it is asked. Never throws. */
  state(): Promise<JailState>
  /**
   * A user that no other jail of this machine has, where this server is root; undefined elsewhere. Given back by disposing it. Throws where all
   * are taken.
   */
  user(): { id: number | undefined } & Disposable
  /** Throws where there is no jail. */
  start(program: JailedProgram, user: number | undefined): Promise<JailedProcess>
}

export function openJail(log: Log, test: (log: Log) => Promise<JailState> = selfTest): Jail {
  const users = openUsers()
  let tested: Promise<JailState> | undefined
  return {
    async state() {
      tested ??= test(log)
      const ours = tested
      const state = await ours
      // Whoever waited with us may have begun the next one already.
      if (state.kind === 'refused' && !state.isSure && tested === ours) tested = undefined
      return state
    },
    user: () => users.take(),
    async start(program, user) {
      const state = await this.state()
      if (state.kind === 'refused') throw new Error(state.why.en)
      return startJailed(state.tools, program, user)
    },
  }
}
