/** The tools that run here while the model answers. A vendor's own search and fetch are left to an upstream that runs them. */
import { maxPageTokens, maxUses, runsUpstream } from '#capabilities/text'
import { isDomainRule, isTimeZone } from '#engine/tools'
import type { HostedToolEntry, HostedToolSet, ToolName } from '#engine/turn'
import { fail } from '#platform/errors'
import { abilities, reasons } from '../phrases.ts'
import type { Reading } from './reading.ts'
import { isCustom, type Tool, type TypedTool } from './tool-schema.ts'

/** The tool of a service that a type asks for; undefined where the caller runs it. */
export function serviceToolOf(tool: Tool): ToolName | undefined {
  if (isCustom(tool)) return undefined
  const [, ours, vendors] = /^(?:kherad:(\w+)|(web_search|web_fetch)_\d{8})$/.exec(tool.type) ?? []
  return (ours ?? vendors) as ToolName | undefined
}

/** As the model calls it; ours may leave the name out. */
export const nameOf = (tool: Tool): string => tool.name ?? serviceToolOf(tool) ?? ''

interface Place {
  tool: TypedTool
  runs: ToolName
  param: string
}

/**
 * What runs here. One tool that no upstream runs brings all others with it, for an upstream would be asked in one breath for what it
 * runs and what it does not know. Throws INVALID_REQUEST and FEATURE_NOT_SUPPORTED.
 */
export function hostedOf(tools: readonly Tool[], reading: Reading): HostedToolSet | undefined {
  const places = tools.flatMap((tool, index): Place[] => {
    const runs = serviceToolOf(tool)
    return runs ? [{ tool: tool as TypedTool, runs, param: `tools.${index}` }] : []
  })
  for (const place of places) requireOneList(place)
  if (!places.some((place) => isOurs(place, reading))) return undefined
  requireNames(tools)
  const timeZone = timeZoneOf(places)
  return { tools: places.map((place) => useOf(place, timeZone, reading)), atLimit: 'pause' }
}

const isOurs = ({ tool: { type }, runs }: Place, { model }: Reading): boolean =>
  type.startsWith('kherad:') ||
  ((runs === 'web_search' || runs === 'web_fetch') && !runsUpstream(model, 'messages', runs))

function useOf(place: Place, timeZone: string | undefined, reading: Reading): HostedToolEntry {
  const { tool, runs, param } = place
  requireDirect(place, reading)
  return {
    tool: runs,
    name: nameOf(tool),
    param: `${param}.type`,
    ...(runs.startsWith('web_') && { maxUses: tool.max_uses ?? maxUses }),
    ...(runs === 'web_fetch' && { maxContentTokens: tool.max_content_tokens ?? maxPageTokens }),
    ...domainsOf(place),
    ...(timeZone !== undefined && { timeZone }),
  }
}

/** Like the vendor's own API: who allows some has blocked the others. */
function requireOneList({ tool, param }: Place): void {
  if (tool.allowed_domains?.length && tool.blocked_domains?.length)
    fail('INVALID_REQUEST', { why: reasons.twoLists }, { param: `${param}.blocked_domains` })
}

function domainsOf({ tool, param }: Place): Pick<HostedToolEntry, 'allowedDomains' | 'blockedDomains'> {
  for (const list of ['allowed_domains', 'blocked_domains'] as const) {
    const wrong = tool[list]?.findIndex((rule) => !isDomainRule(rule)) ?? -1
    if (wrong !== -1)
      fail('INVALID_REQUEST', { why: reasons.noDomain }, { param: `${param}.${list}.${wrong}` })
  }
  return {
    ...(tool.allowed_domains?.length && { allowedDomains: tool.allowed_domains }),
    ...(tool.blocked_domains?.length && { blockedDomains: tool.blocked_domains }),
  }
}

/** Nothing here writes code that calls tools; and what a caller forbids the fetch must never be done in silence. */
function requireDirect({ tool, param }: Place, { model }: Reading): void {
  const refuse = (field: string, feature: string) =>
    fail('FEATURE_NOT_SUPPORTED', { model: model.id, feature }, { param: `${param}.${field}` })
  if (tool.allowed_callers?.some((caller) => caller !== 'direct'))
    refuse('allowed_callers', abilities.codeCallers)
  if (tool.url_sources) refuse('url_sources', abilities.urlSources)
}

function requireNames(tools: readonly Tool[]): void {
  const names = tools.map(nameOf)
  for (const [index, tool] of tools.entries()) {
    const name = nameOf(tool)
    if (serviceToolOf(tool) && names.indexOf(name) !== names.lastIndexOf(name))
      fail('INVALID_REQUEST', { why: reasons.sameName(name) }, { param: `tools.${index}.name` })
  }
}

/** Where the person is matters to dates too. No search engine here is told a city. */
function timeZoneOf(places: readonly Place[]): string | undefined {
  for (const { tool, param } of places) {
    const zone = tool.user_location?.timezone
    if (zone == null) continue
    if (!isTimeZone(zone))
      fail('INVALID_REQUEST', { why: reasons.noTimeZone }, { param: `${param}.user_location.timezone` })
    return zone
  }
  return undefined
}
