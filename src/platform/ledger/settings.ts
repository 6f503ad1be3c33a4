import { Type } from 'typebox'
import { fileSection, integerIn } from '#platform/config'

declare module '#platform/config' {
  interface Settings {
    /** Shares of a budget, in percent, at which its owner is notified. Ascending, each once. */
    budgets: { thresholdsPercent: number[] }
  }
}

export const budgets = fileSection({
  name: 'budgets',
  schema: Type.Object(
    {
      thresholds_percent: Type.Array(integerIn(1, 100), {
        default: [50, 80, 100],
        description: 'Shares of a budget, in percent, at which its owner is told.',
      }),
    },
    { default: {} },
  ),
  read: ({ thresholds_percent }) => ({
    thresholdsPercent: [...new Set(thresholds_percent)].sort((left, right) => left - right),
  }),
})
