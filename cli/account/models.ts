import type { AnyModel, Catalogue, ModelFigures } from '#core/models'
import type { Language } from '#platform/errors'
import type { Command, CommandResult, Session } from '../command.ts'
import { type TableColumn, table } from '../output.ts'
import { phrases, titles } from '../phrases.ts'
import { readCatalogue } from './catalogue.ts'

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

async function run({ env, language }: Session): Promise<CommandResult> {
  const { models, discovered } = await readCatalogue(env)
  const silent = discovered.silent.map((address) => `${phrases.silentProvider(address)[language]}\n`)
  return {
    json: {
      data: models.list().map((model) => jsonOf(model, models)),
      silent: discovered.silent,
    },
    text: table(models.list(), columns(language, models), language) + silent.join(''),
  }
}

function columns(
  language: Language,
  { kinds, defaults: { text: preset } }: Catalogue,
): TableColumn<AnyModel>[] {
  const shown = (value: number | undefined) =>
    value?.toLocaleString(language === 'fa' ? 'fa-IR' : 'en-US', { maximumFractionDigits: 6 }) ?? ''
  const notes = (model: AnyModel) => [
    ...(model.id === preset.id ? [phrases.preset()[language]] : []),
    ...(model.sandbox ? [phrases.simulator()[language]] : []),
  ]
  const figuresOf = (model: AnyModel): ModelFigures => kinds.of(model).figures(model)
  const figure = (
    title: TableColumn<AnyModel>['title'],
    of: (figures: ModelFigures) => number | undefined,
  ): TableColumn<AnyModel> => ({ title, show: (model) => shown(of(figuresOf(model))), numeric: true })
  return [
    { title: titles.model, show: (model) => model.id },
    figure(titles.context, ({ contextLength }) => contextLength),
    figure(titles.maxOutput, ({ maxOutputTokens }) => maxOutputTokens),
    figure(titles.input, ({ inputPerMillion }) => inputPerMillion),
    figure(titles.output, ({ outputPerMillion }) => outputPerMillion),
    figure(titles.perImage, ({ perImage }) => perImage),
    {
      title: titles.features,
      show: (model) =>
        [...model.inputModalities.filter((kind) => kind !== 'text'), ...figuresOf(model).abilities].join(','),
    },
    { title: titles.deployments, show: (model) => model.deployments.map(({ id }) => id).join(',') },
    { title: titles.note, show: (model) => notes(model).join(language === 'fa' ? '، ' : ', ') },
  ]
}

const jsonOf = (model: AnyModel, { kinds, defaults: { text: preset } }: Catalogue) => ({
  id: model.id,
  kind: model.kind,
  default: model.id === preset.id,
  sandbox: model.sandbox,
  input_modalities: model.inputModalities,
  fallbacks: model.fallbacks,
  deployments: model.deployments,
  ...kinds.of(model).details(model),
})
