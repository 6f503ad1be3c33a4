import { type AnyModel, type Model, sizeName } from '#engine/models'
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

function columns(language: Language, preset: Model): Column<AnyModel>[] {
  const shown = (value: number) =>
    value.toLocaleString(language === 'fa' ? 'fa-IR' : 'en-US', { maximumFractionDigits: 6 })
  const notes = (model: AnyModel) => [
    ...(model.id === preset.id ? [words.preset()[language]] : []),
    ...(model.sandbox ? [words.simulator()[language]] : []),
  ]
  /** What only a text model has. */
  const ofText = (model: AnyModel, figure: (model: Model) => number): string =>
    model.kind === 'text' ? shown(figure(model)) : ''
  return [
    { title: titles.model, show: (model) => model.id },
    { title: titles.context, show: (model) => ofText(model, (text) => text.contextLength), numeric: true },
    {
      title: titles.mostOutput,
      show: (model) => ofText(model, (text) => text.maxOutputTokens),
      numeric: true,
    },
    {
      title: titles.input,
      show: (model) => (model.kind === 'image' ? '' : shown(model.pricing.inputPerMillion)),
      numeric: true,
    },
    {
      title: titles.output,
      show: (model) => ofText(model, (text) => text.pricing.outputPerMillion),
      numeric: true,
    },
    {
      title: titles.perImage,
      show: (model) => (model.kind === 'image' ? shown(model.pricing.perImage) : ''),
      numeric: true,
    },
    {
      title: titles.features,
      show: (model) =>
        [...model.inputModalities.filter((kind) => kind !== 'text'), ...abilitiesOf(model)].join(','),
    },
    { title: titles.deployments, show: (model) => model.deployments.map(({ id }) => id).join(',') },
    { title: titles.note, show: (model) => notes(model).join(language === 'fa' ? '، ' : ', ') },
  ]
}

function abilitiesOf(model: AnyModel): string[] {
  if (model.kind === 'text') return model.features
  return model.kind === 'image' ? model.image.sizes.map(sizeName) : ['embedding']
}

const jsonOf = (model: AnyModel, preset: Model) => ({
  id: model.id,
  kind: model.kind,
  default: model.id === preset.id,
  sandbox: model.sandbox,
  input_modalities: model.inputModalities,
  fallbacks: model.fallbacks,
  deployments: model.deployments,
  ...figuresOf(model),
})

function figuresOf(model: AnyModel): Record<string, unknown> {
  if (model.kind === 'embedding')
    return {
      max_input_tokens: model.maxInputTokens,
      dimensions: model.dimensions,
      /** USD per million tokens. */
      pricing: { input_per_million: model.pricing.inputPerMillion },
    }
  if (model.kind === 'image')
    return {
      sizes: model.image.sizes.map(sizeName),
      qualities: model.image.qualities,
      max_references: model.image.maxReferences,
      /** USD. */
      pricing: {
        per_image: model.pricing.perImage,
        rows: model.pricing.rows.map(({ quality, size, perImage }) => ({
          quality,
          size: size && sizeName(size),
          per_image: perImage,
        })),
        per_reference: model.pricing.perReference,
      },
    }
  return {
    context_length: model.contextLength,
    max_output_tokens: model.maxOutputTokens,
    features: model.features,
    supported_efforts: model.supportedEfforts,
    /** USD per million tokens. */
    pricing: {
      input_per_million: model.pricing.inputPerMillion,
      output_per_million: model.pricing.outputPerMillion,
      cached_input_per_million: model.pricing.cachedInputPerMillion,
      cache_write_per_million: model.pricing.cacheWritePerMillion,
      media_input_per_million: model.pricing.mediaInputPerMillion,
    },
  }
}
