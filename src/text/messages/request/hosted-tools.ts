/** The hosted tools. A vendor's own search and fetch are left to an upstream that runs them. */
import { maxPageTokens, maxUses, runsUpstream } from '#core/text'
import { isDomainRule, isTimeZone } from '#core/tools'
import type { HostedToolEntry, HostedToolSet, ToolName } from '#core/turn'
import { fail } from '#platform/errors'
import { abilities, reasons } from '../phrases.ts'
import type { ParseContext } from './parse-context.ts'
import { isCustom, type Tool, type TypedTool } from './tool-schema.ts'

/** The hosted tool of a type, or undefined for a tool that the caller runs. */
export function serviceToolOf(tool: Tool): ToolName | undefined {
  if (isCustom(tool)) return undefined
  const [, ours, vendors] = /^(?:kherad:(\w+)|(web_search|web_fetch)_\d{8})$/.exec(tool.type) ?? []
  return (ours ?? vendors) as ToolName | undefined
}

/** The name by which the model calls a tool; the platform's own tools may leave it out. */
export const nameOf = (tool: Tool): string => tool.name ?? serviceToolOf(tool) ?? ''

interface HostedToolUse {
  tool: TypedTool
  runs: ToolName
  param: string
}

/**
 * The tools that the platform runs, or undefined if the upstream runs them all. If there is one tool that no upstream runs, all of them
 * run here: an upstream cannot be sent tools that it does not know together with its own. Throws INVALID_REQUEST and
 * FEATURE_NOT_SUPPORTED.
 */
export function hostedOf(tools: readonly Tool[], context: ParseContext): HostedToolSet | undefined {
  const places = tools.flatMap((tool, index): HostedToolUse[] => {
    const runs = serviceToolOf(tool)
    return runs ? [{ tool: tool as TypedTool, runs, param: `tools.${index}` }] : []
  })
  for (const place of places) requireOneList(place)
  if (!places.some((place) => isOurs(place, context))) return undefined
  requireNames(tools)
  const timeZone = timeZoneOf(places)
  return { tools: places.map((place) => useOf(place, timeZone, context)), atLimit: 'pause' }
}

const isOurs = ({ tool: { type }, runs }: HostedToolUse, { model }: ParseContext): boolean =>
  type.startsWith('kherad:') ||
  ((runs === 'web_search' || runs === 'web_fetch') && !runsUpstream(model, 'messages', runs))

function useOf(place: HostedToolUse, timeZone: string | undefined, context: ParseContext): HostedToolEntry {
  const { tool, runs, param } = place
  requireDirect(place, context)
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

/** Refuses allowed domains together with blocked ones, like the vendor's API: an allow list already blocks all others. */
function requireOneList({ tool, param }: HostedToolUse): void {
  if (tool.allowed_domains?.length && tool.blocked_domains?.length)
    fail('INVALID_REQUEST', { why: reasons.twoLists }, { param: `${param}.blocked_domains` })
}

function domainsOf({
  tool,
  param,
}: HostedToolUse): Pick<HostedToolEntry, 'allowedDomains' | 'blockedDomains'> {
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

/** Refuses calls of tools from code, which is not supported here, and `url_sources`: a restriction of the fetch must not be ignored silently. */
function requireDirect({ tool, param }: HostedToolUse, { model }: ParseContext): void {
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

/** The time zone of the user's location, which the date tool needs. The city is not passed to search engines. */
function timeZoneOf(places: readonly HostedToolUse[]): string | undefined {
  for (const { tool, param } of places) {
    const zone = tool.user_location?.timezone
    if (zone == null) continue
    if (!isTimeZone(zone))
      fail('INVALID_REQUEST', { why: reasons.noTimeZone }, { param: `${param}.user_location.timezone` })
    return zone
  }
  return undefined
}
