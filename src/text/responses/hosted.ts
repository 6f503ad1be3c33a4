/**
 * Hosted tools. If an upstream of this wire has its own search, that one is used; every other tool runs on the platform
 * (`Turn.hosted`).
 */
import type { AppliedField } from '#core/calls'
import type { Model } from '#core/models'
import { clampTools, maxUses, requireFeatures, runsUpstream } from '#core/text'
import { isDomainRule } from '#core/tools'
import type { HostedToolEntry, ToolName } from '#core/turn'
import { fail } from '#platform/errors'
import { type HostedTool, hasEffect, hostedToolName, isOurs } from './hosted-schema.ts'
import { reasons } from './phrases.ts'
import type { ResponsesBody } from './schema.ts'
import type { Toolbox } from './tools.ts'

export interface HostedTools {
  /** Tools that the platform runs. */
  uses: HostedToolEntry[]
  /** The search that the upstream runs; sent as the caller wrote it. */
  native: RequestedTool | undefined
  /** The applied tools as the caller wrote them, for the `tools` of the response. */
  echoed: HostedTool[]
  /** Paths of requested tools and members that have no effect. */
  ignored: string[]
}

/** The body with the caps of the platform's tools applied, and the values that were lowered. */
export function applyCaps(body: ResponsesBody): { body: ResponsesBody; clamped: AppliedField[] } {
  const { tools, clamped } = clampTools(body.tools ?? [], ({ type }) => isOurs(type))
  const capped = clamped.length === 0 ? body : { ...body, tools: [...tools] }
  return { body: capped, clamped }
}

/** A hosted tool that the request names, with its path. */
export interface RequestedTool {
  tool: HostedTool
  name: ToolName
  path: string
}

/** The hosted tools of a request. Throws FEATURE_NOT_SUPPORTED for a model without tools, INVALID_REQUEST for an invalid domain. */
export function hostedTools(body: ResponsesBody, box: Toolbox, model: Model): HostedTools {
  const all = requestedTools(body, box)
  // A tool that the upstream runs needs the caller's body, a tool that the platform runs needs the neutral turn: they cannot be mixed.
  const runsAtUpstream =
    all.every(({ tool }) => !isOurs(tool.type)) && runsUpstream(model, 'responses', 'web_search')
  const { requested, ignored } = chooseTools(all, runsAtUpstream)
  const echoed = requested.map(({ tool }) => tool)
  if (body.max_tool_calls != null && requested.length === 0) ignored.push('max_tool_calls')
  if (runsAtUpstream) return { uses: [], native: requested[0], echoed, ignored }
  const uses = requested.map((one) => useOf(one, box, body.max_tool_calls ?? maxUses))
  requireFeatures(model, { tools: uses[0]?.param })
  return { uses, native: undefined, echoed, ignored: [...ignored, ...requested.flatMap(withoutEffect)] }
}

const requestedTools = ({ web_search: search }: ResponsesBody, { requested }: Toolbox): RequestedTool[] =>
  search
    ? [...requested, { tool: { type: 'web_search' }, name: 'web_search', path: 'web_search' }]
    : requested

/** Chooses each tool once; further entries for the same tool are ignored. */
function chooseTools(
  all: readonly RequestedTool[],
  runsAtUpstream: boolean,
): { requested: RequestedTool[]; ignored: string[] } {
  const taken = new Map<ToolName, RequestedTool>()
  const ignored: string[] = []
  for (const one of all) {
    // If the caller forbids access to the live web, only a search index remains, and only upstreams have one.
    const isForbidden = !runsAtUpstream && one.tool.external_web_access === false
    if (!isForbidden && !taken.has(one.name)) taken.set(one.name, one)
    else if (one.path !== 'web_search') ignored.push(one.path)
  }
  return { requested: [...taken.values()], ignored }
}

function useOf({ tool, name, path }: RequestedTool, box: Toolbox, maxCalls: number): HostedToolEntry {
  const { allowed_domains: allowed, blocked_domains: blocked } = domainsOf(tool, path)
  const { max_content_tokens: maxContentTokens } = tool
  return {
    tool: name,
    name: box.freeName(name),
    param: path,
    maxUses: Math.min(maxUses, maxCalls, tool.max_uses ?? maxUses),
    ...(maxContentTokens != null && { maxContentTokens }),
    ...(allowed != null && { allowedDomains: allowed }),
    ...(blocked != null && { blockedDomains: blocked }),
  }
}

function domainsOf(tool: HostedTool, path: string) {
  const own = isOurs(tool.type)
  const rules = (own ? tool : tool.filters) ?? {}
  for (const field of ['allowed_domains', 'blocked_domains'] as const)
    for (const [index, rule] of (rules[field] ?? []).entries())
      if (!isDomainRule(rule)) {
        const param = [path, ...(own ? [] : ['filters']), field, index].join('.')
        fail('INVALID_REQUEST', { why: reasons.noDomain(rule) }, { param })
      }
  return rules
}

const withoutEffect = ({ tool, path }: RequestedTool): string[] =>
  Object.entries(tool)
    .filter(([member, value]) => value != null && !hasEffect(tool.type, member))
    .map(([member]) => `${path}.${member}`)

/** The lowered `max_tool_calls` for a search that the upstream runs: it is the only bound of that search. */
export const nativeClamped = (
  { native }: HostedTools,
  { max_tool_calls: max }: ResponsesBody,
): AppliedField[] =>
  native && max != null && max > maxUses ? [{ param: 'max_tool_calls', applied: maxUses }] : []

/** The use to which a tool choice of this type refers. */
export const useOfType = (uses: readonly HostedToolEntry[], type: unknown): HostedToolEntry | undefined =>
  uses.find(({ tool }) => tool === hostedToolName(String(type)))
