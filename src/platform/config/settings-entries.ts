import type { Config, DefaultsConfig } from './config.ts'
import type { Place } from './yaml-reader.ts'

/** What a call costs when it names no model, and what a credit is worth. */
export function readDefaults(place: Place | undefined): DefaultsConfig {
  const members = place?.members(['text_model', 'credits_per_usd', 'markup'])
  const textModel = members?.get('text_model')
  return {
    ...(textModel && {
      textModel: textModel.text({ en: 'the id of a text model', fa: 'شناسه‌ی یک مدل متنی' }),
      textModelWhere: textModel.where(),
    }),
    creditsPerUsd: members?.get('credits_per_usd')?.number({ min: 0.000001, max: 1_000_000_000 }) ?? 1_000,
    markup: members?.get('markup')?.number({ min: 0, max: 1_000 }) ?? 1,
  }
}

/** Shares of a budget, in percent, at which its owner is told. Ascending, each once. */
export function readBudgets(place: Place | undefined): Config['budgets'] {
  const thresholds = place?.members(['thresholds_percent']).get('thresholds_percent')
  if (!thresholds) return { thresholdsPercent: [50, 80, 100] }
  const percents = thresholds.list().map((item) => item.number({ min: 1, max: 100, integer: true }))
  return { thresholdsPercent: [...new Set(percents)].sort((left, right) => left - right) }
}
