/** What the entries of models of every kind have in common. */
import type { DeploymentConfig, NamedModelConfig } from './config.ts'
import { refuse } from './refuse.ts'
import { words } from './words.ts'
import type { Members, Place } from './yaml-reader.ts'

export const commonEntries = [
  'id',
  'kind',
  'aliases',
  'display_name',
  'description',
  'deployments',
  'fallbacks',
  'pricing',
] as const

const modelId = /^[a-z0-9][a-z0-9._-]*\/[A-Za-z0-9][A-Za-z0-9._:/@-]*$/

const aliasPattern = /^[A-Za-z0-9][A-Za-z0-9._:/@-]*$/

/** The members of every kind. */
export function readNamed(members: Members): NamedModelConfig {
  const displayName = members.get('display_name')?.text()
  const description = members.get('description')?.text()
  return {
    where: members.place.where(),
    id: readId(members),
    aliases: readAliases(members.get('aliases')),
    ...(displayName !== undefined && { displayName }),
    ...(description !== undefined && { description }),
    deployments: readDeployments(members),
    fallbacks: readFallbacks(members.get('fallbacks')),
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

/** Names of clients that cannot be changed, such as `gpt-4o`: no slash is needed. That no two models share one the catalogue sees to. */
function readAliases(place: Place | undefined): string[] {
  const expected = {
    en: 'a name of letters, digits and . _ : / @ -, at most 200 characters, such as gpt-4o',
    fa: 'نامی از حرف لاتین، رقم و . _ : / @ - با حداکثر ۲۰۰ نویسه، مانند gpt-4o',
  }
  const aliases: string[] = []
  for (const item of place?.list() ?? []) {
    const alias = item.text(expected, aliasPattern)
    if (alias.length > 200) item.wrong(expected)
    if (aliases.includes(alias)) refuse(words.duplicate(item.where(), alias))
    aliases.push(alias)
  }
  return aliases
}

function readDeployments(members: Members): DeploymentConfig[] {
  const expected = { en: 'at least one of { provider, model }', fa: 'دست‌کم یک { provider, model }' }
  const place = members.need('deployments', { en: `write ${expected.en}`, fa: `${expected.fa} بنویسید` })
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
  if (deployments.length === 0) place.wrong(expected)
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
