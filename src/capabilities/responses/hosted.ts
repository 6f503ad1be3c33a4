/**
 * Tools that run while the model answers. An upstream of this wire that has a search of its own runs that; everything else
 * runs here (`Turn.hosted`).
 */
import type { Applied } from '#capabilities/calls'
import { clampTools, maxUses, requireFeatures, runsUpstream } from '#capabilities/text'
import type { Model } from '#engine/models'
import { isDomainRule } from '#engine/tools'
import type { HostedToolEntry, ToolName } from '#engine/turn'
import { fail } from '#platform/errors'
import { type HostedTool, hasEffect, hostedBy, isOurs } from './hosted-schema.ts'
import { reasons } from './phrases.ts'
import type { ResponsesBody } from './schema.ts'
import type { Toolbox } from './tools.ts'

export interface HostedTools {
  /** Run here. */
  uses: HostedToolEntry[]
  /** Runs at the upstream, as the caller wrote it. */
  native: Wished | undefined
  /** What there is of them, in the wire's own words. */
  told: HostedTool[]
  /** Places of what was asked for and has no effect. */
  ignored: string[]
}

/** The body as it is applied: with the caps of the tools that run here. */
export function withinCaps(body: ResponsesBody): { body: ResponsesBody; clamped: Applied[] } {
  const { tools, clamped } = clampTools(body.tools ?? [], ({ type }) => isOurs(type))
  const capped = clamped.length === 0 ? body : { ...body, tools: [...tools] }
  return { body: capped, clamped }
}

/** A tool that was asked for, and where. */
export interface Wished {
  tool: HostedTool
  name: ToolName
  place: string
}

/** Throws FEATURE_NOT_SUPPORTED for a model without tools, INVALID_REQUEST for what is no domain. */
export function hostedTools(body: ResponsesBody, box: Toolbox, model: Model): HostedTools {
  const all = wishesOf(body, box)
  // What runs there needs the caller's own body, what runs here the turn in its neutral words: they cannot be mixed.
  const there = all.every(({ tool }) => !isOurs(tool.type)) && runsUpstream(model, 'responses', 'web_search')
  const { wished, ignored } = chosen(all, there)
  const told = wished.map(({ tool }) => tool)
  if (body.max_tool_calls != null && wished.length === 0) ignored.push('max_tool_calls')
  if (there) return { uses: [], native: wished[0], told, ignored }
  const uses = wished.map((one) => useOf(one, box, body.max_tool_calls ?? maxUses))
  requireFeatures(model, { tools: uses[0]?.param })
  return { uses, native: undefined, told, ignored: [...ignored, ...wished.flatMap(withoutEffect)] }
}

const wishesOf = ({ web_search: search }: ResponsesBody, { wished }: Toolbox): Wished[] =>
  search ? [...wished, { tool: { type: 'web_search' }, name: 'web_search', place: 'web_search' }] : wished

/** Each tool once. */
function chosen(all: readonly Wished[], there: boolean): { wished: Wished[]; ignored: string[] } {
  const taken = new Map<ToolName, Wished>()
  const ignored: string[] = []
  for (const one of all) {
    // Where the caller forbids the live web, what is left is an index, which only an upstream keeps.
    const isForbidden = !there && one.tool.external_web_access === false
    if (!isForbidden && !taken.has(one.name)) taken.set(one.name, one)
    else if (one.place !== 'web_search') ignored.push(one.place)
  }
  return { wished: [...taken.values()], ignored }
}

function useOf({ tool, name, place }: Wished, box: Toolbox, maxCalls: number): HostedToolEntry {
  const { allowed_domains: allowed, blocked_domains: blocked } = domainsOf(tool, place)
  const { max_content_tokens: maxContentTokens } = tool
  return {
    tool: name,
    name: box.freeName(name),
    param: place,
    maxUses: Math.min(maxUses, maxCalls, tool.max_uses ?? maxUses),
    ...(maxContentTokens != null && { maxContentTokens }),
    ...(allowed != null && { allowedDomains: allowed }),
    ...(blocked != null && { blockedDomains: blocked }),
  }
}

function domainsOf(tool: HostedTool, place: string) {
  const own = isOurs(tool.type)
  const rules = (own ? tool : tool.filters) ?? {}
  for (const field of ['allowed_domains', 'blocked_domains'] as const)
    for (const [index, rule] of (rules[field] ?? []).entries())
      if (!isDomainRule(rule)) {
        const param = [place, ...(own ? [] : ['filters']), field, index].join('.')
        fail('INVALID_REQUEST', { why: reasons.noDomain(rule) }, { param })
      }
  return rules
}

const withoutEffect = ({ tool, place }: Wished): string[] =>
  Object.entries(tool)
    .filter(([member, value]) => value != null && !hasEffect(tool.type, member))
    .map(([member]) => `${place}.${member}`)

/** A search that an upstream runs has no bound but this one. */
export const nativeClamped = ({ native }: HostedTools, { max_tool_calls: most }: ResponsesBody): Applied[] =>
  native && most != null && most > maxUses ? [{ param: 'max_tool_calls', applied: maxUses }] : []

/** The use that a choice of this type means. */
export const useBy = (uses: readonly HostedToolEntry[], type: unknown): HostedToolEntry | undefined =>
  uses.find(({ tool }) => tool === hostedBy(String(type)))
