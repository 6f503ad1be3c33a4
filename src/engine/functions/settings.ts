import { Type } from 'typebox'
import { fileSection, integerIn } from '#platform/config'

declare module '#platform/config' {
  interface Settings {
    functions: FunctionsConfig
  }
}

/** How functions run. What a cloud may have of them stands with the limits of clouds. */
export interface FunctionsConfig {
  /** `unsafe_dev`: without a jail, on a machine where only the developer's own code runs. */
  mode: 'jailed' | 'unsafe_dev'
  /** Processes of clouds that are kept at once; the one that was called longest ago makes way. */
  processes: number
}

export const functions = fileSection({
  name: 'functions',
  schema: Type.Object(
    {
      mode: Type.Enum(['jailed', 'unsafe_dev'], {
        default: 'jailed',
        description:
          'jailed: functions run in a jail, and are refused where none can be built. unsafe_dev: without a jail, for a machine where only your own code runs.',
      }),
      processes: integerIn(1, 200, {
        default: 64,
        description: 'Processes of clouds that one process of this service keeps at once, some 12 MB each.',
      }),
    },
    { default: {} },
  ),
  read: ({ mode, processes }) => ({ mode, processes }),
})
