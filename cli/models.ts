import type { Model } from '#engine/models'
import type { Language } from '#platform/errors'
import { readCatalogue } from './catalogue.ts'
import type { Command, Outcome, Session } from './command.ts'
import { type Column, table } from './output.ts'
import { titles, words } from './words.ts'

export const modelCommands: Command[] = [
  {
    name: 'models',
    about: {
      fa: 'مدل‌هایی که سرور با پیکربندی و محیط کنونی عرضه می‌کند، با بها.',
      en: 'The models a server offers with this configuration and environment, with prices.',
    },
    takes: [],
    options: [],
    needs: [],
    run,
  },
]

async function run({ env, language }: Session): Promise<Outcome> {
  const { models, discovered } = await readCatalogue(env)
  const silent = discovered.silent.map((address) => `${words.silentProvider(address)[language]}\n`)
  return {
    json: {
      data: models.list().map((model) => jsonOf(model, models.defaultText)),
      silent: discovered.silent,
    },
    text: table(models.list(), columns(language, models.defaultText), language) + silent.join(''),
  }
}

function columns(language: Language, preset: Model): Column<Model>[] {
  const shown = (value: number) =>
    value.toLocaleString(language === 'fa' ? 'fa-IR' : 'en-US', { maximumFractionDigits: 6 })
  const notes = (model: Model) => [
    ...(model.id === preset.id ? [words.preset()[language]] : []),
    ...(model.sandbox ? [words.simulator()[language]] : []),
  ]
  return [
    { title: titles.model, show: (model) => model.id },
    { title: titles.context, show: (model) => shown(model.contextLength), numeric: true },
    { title: titles.mostOutput, show: (model) => shown(model.maxOutputTokens), numeric: true },
    { title: titles.input, show: (model) => shown(model.pricing.inputPerMillion), numeric: true },
    { title: titles.output, show: (model) => shown(model.pricing.outputPerMillion), numeric: true },
    {
      title: titles.features,
      show: (model) =>
        [...model.inputModalities.filter((kind) => kind !== 'text'), ...model.features].join(','),
    },
    { title: titles.deployments, show: (model) => model.deployments.map(({ id }) => id).join(',') },
    { title: titles.note, show: (model) => notes(model).join(language === 'fa' ? '، ' : ', ') },
  ]
}

const jsonOf = (model: Model, preset: Model) => ({
  id: model.id,
  kind: model.kind,
  default: model.id === preset.id,
  sandbox: model.sandbox,
  context_length: model.contextLength,
  max_output_tokens: model.maxOutputTokens,
  input_modalities: model.inputModalities,
  features: model.features,
  supported_efforts: model.supportedEfforts,
  fallbacks: model.fallbacks,
  deployments: model.deployments,
  /** USD per million tokens. */
  pricing: {
    input_per_million: model.pricing.inputPerMillion,
    output_per_million: model.pricing.outputPerMillion,
    cached_input_per_million: model.pricing.cachedInputPerMillion,
    cache_write_per_million: model.pricing.cacheWritePerMillion,
    media_input_per_million: model.pricing.mediaInputPerMillion,
  },
})
