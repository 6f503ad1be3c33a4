import type { DeploymentConfig, ModelConfig, PricingConfig } from './config.ts'
import { refuse } from './refuse.ts'
import { words } from './words.ts'
import type { Members, Place } from './yaml-reader.ts'

const entries = [
  'id',
  'kind',
  'display_name',
  'description',
  'deployments',
  'fallbacks',
  'resume',
  'context_length',
  'max_output_tokens',
  'input_modalities',
  'features',
  'reasoning',
  'pricing',
]
const modalities = ['text', 'image', 'audio', 'video', 'file'] as const
const features = ['tools', 'json_schema', 'reasoning'] as const
const modelId = /^[a-z0-9][a-z0-9._-]*\/[A-Za-z0-9][A-Za-z0-9._:/@-]*$/

export function readModels(place: Place | undefined): ModelConfig[] {
  const models: ModelConfig[] = []
  for (const entry of place?.list() ?? []) {
    const model = readModel(entry)
    if (models.some(({ id }) => id === model.id)) refuse(words.duplicate(entry.where('id'), model.id))
    models.push(model)
  }
  return models
}

function readModel(entry: Place): ModelConfig {
  const members = entry.members(entries)
  const contextLength = readTokens(members, 'context_length', {
    en: 'write how many tokens prompt and answer may have together',
    fa: 'بنویسید پرسش و پاسخ روی هم چند توکن می‌توانند باشند',
  })
  const displayName = members.get('display_name')?.text()
  const description = members.get('description')?.text()
  const chosenFeatures = members.get('features')?.someOf(features) ?? []
  const pricing = members.get('pricing')
  return {
    where: entry.where(),
    id: readId(members),
    kind: readKind(members),
    ...(displayName !== undefined && { displayName }),
    ...(description !== undefined && { description }),
    deployments: readDeployments(members),
    fallbacks: readFallbacks(members.get('fallbacks')),
    resumes: members.get('resume')?.oneOf(['restart', 'never'] as const) === 'restart',
    contextLength,
    maxOutputTokens: readMaxOutput(members, contextLength),
    inputModalities: readModalities(members.get('input_modalities')),
    features: chosenFeatures,
    supportedEfforts: readEfforts(members.get('reasoning'), chosenFeatures.includes('reasoning')),
    ...(pricing && { pricing: readPricing(pricing) }),
  }
}

function readId(members: Members): string {
  const place = members.need('id', {
    en: 'write <vendor>/<model_name>',
    fa: '<فروشنده>/<نام مدل> را بنویسید',
  })
  const expected = {
    en: '<vendor>/<model_name> of at most 200 characters',
    fa: '<فروشنده>/<نام مدل> با حداکثر ۲۰۰ نویسه',
  }
  const id = place.text(expected, modelId)
  if (id.length > 200 || id.startsWith('sandbox/')) {
    place.wrong(
      id.length > 200
        ? expected
        : { en: 'another vendor than sandbox, which is built in', fa: 'فروشنده‌ای جز sandbox که درونی است' },
    )
  }
  return id
}

function readKind(members: Members): 'text' {
  return members.get('kind')?.oneOf(['text'] as const) ?? 'text'
}

function readTokens(members: Members, name: string, mend: { en: string; fa: string }): number {
  return members.need(name, mend).number({ min: 1, max: 100_000_000, integer: true })
}

function readMaxOutput(members: Members, contextLength: number): number {
  const tokens = readTokens(members, 'max_output_tokens', {
    en: 'write the longest answer in tokens',
    fa: 'درازترین پاسخ را به توکن بنویسید',
  })
  if (tokens > contextLength) {
    members.get('max_output_tokens')?.wrong({
      en: `at most the context_length of ${contextLength}`,
      fa: `حداکثر به اندازه‌ی context_length یعنی ${contextLength}`,
    })
  }
  return tokens
}

function readDeployments(members: Members): DeploymentConfig[] {
  const mend = { en: 'write at least one of { provider, model }', fa: 'دست‌کم یک { provider, model } بنویسید' }
  const place = members.need('deployments', mend)
  const deployments: DeploymentConfig[] = []
  for (const entry of place.list()) {
    const deployment = readDeployment(entry)
    if (
      deployments.some(
        ({ provider, model }) => provider === deployment.provider && model === deployment.model,
      )
    ) {
      refuse(words.duplicate(entry.where(), `${deployment.provider}/${deployment.model}`))
    }
    deployments.push(deployment)
  }
  if (deployments.length === 0) place.wrong(mend)
  return deployments
}

function readDeployment(entry: Place): DeploymentConfig {
  const members = entry.members(['provider', 'model', 'weight', 'priority'])
  return {
    provider: members
      .need('provider', { en: 'write the id of a provider', fa: 'شناسه‌ی یک ارائه‌دهنده را بنویسید' })
      .text(),
    model: members
      .need('model', {
        en: "write the upstream's own name of the model",
        fa: 'نام مدل نزد ارائه‌دهنده را بنویسید',
      })
      .text(),
    weight: members.get('weight')?.number({ min: 0.001, max: 1_000_000 }) ?? 1,
    priority: members.get('priority')?.number({ min: 0, max: 1_000, integer: true }) ?? 0,
  }
}

function readFallbacks(place: Place | undefined): string[] {
  const fallbacks: string[] = []
  for (const item of place?.list() ?? []) {
    const id = item.text({ en: 'the id of another model', fa: 'شناسه‌ی مدلی دیگر' })
    if (fallbacks.includes(id)) refuse(words.duplicate(item.where(), id))
    fallbacks.push(id)
  }
  return fallbacks
}

function readModalities(place: Place | undefined): ModelConfig['inputModalities'] {
  const chosen = place?.someOf(modalities) ?? ['text']
  if (!chosen.includes('text'))
    place?.wrong({
      en: 'a list with text in it: a text model reads text',
      fa: 'فهرستی که text در آن باشد: مدل متنی متن می‌خواند',
    })
  return chosen
}

function readEfforts(place: Place | undefined, reasons: boolean): string[] {
  if (!place) return []
  if (!reasons) {
    refuse(
      words.conflict(place.where(), {
        en: 'is set but features does not name reasoning: add reasoning to features or remove this entry',
        fa: 'نوشته شده ولی features نام reasoning را ندارد: آن را به features بیفزایید یا این را بردارید',
      }),
    )
  }
  const members = place.members(['supported_efforts'])
  const efforts = members.need('supported_efforts', {
    en: 'write the efforts, for example [low, medium, high]',
    fa: 'سطح‌ها را بنویسید، برای نمونه [low, medium, high]',
  })
  return efforts.someOf(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const)
}

function readPricing(place: Place): PricingConfig {
  const members = place.members([
    'input_per_million',
    'output_per_million',
    'cached_input_per_million',
    'cache_write_per_million',
    'cache_write_hour_per_million',
    'media_input',
  ])
  const usd = { min: 0, max: 1_000_000 }
  const mend = {
    en: 'write USD per million tokens, 0 for free',
    fa: 'بهای یک میلیون توکن را به دلار بنویسید، ۰ یعنی رایگان',
  }
  const inputPerMillion = members.need('input_per_million', mend).number(usd)
  const hour = members.get('cache_write_hour_per_million')?.number(usd)
  const media = members.get('media_input')?.members(['input_per_million']).need('input_per_million', mend)
  return {
    inputPerMillion,
    outputPerMillion: members.need('output_per_million', mend).number(usd),
    cachedInputPerMillion: members.get('cached_input_per_million')?.number(usd) ?? inputPerMillion,
    cacheWritePerMillion: members.get('cache_write_per_million')?.number(usd) ?? inputPerMillion,
    ...(hour !== undefined && { cacheWriteHourPerMillion: hour }),
    mediaInputPerMillion: media?.number(usd) ?? inputPerMillion,
  }
}
