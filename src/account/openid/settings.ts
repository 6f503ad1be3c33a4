/** The section `openid`: the providers of OpenID Connect with which people may sign in (docs/decisions/account/openid.md). */
import { type Static, Type } from 'typebox'
import {
  type ConfigNode,
  fileSection,
  type ProcessSettings,
  readingRules,
  refusals,
  refuseConfig,
  type Sentence,
} from '#platform/config'
import { isUuid } from '#platform/ids'
import { type CaConfig, type ProxyConfig, proxySetting, tlsSetting } from '#platform/proxy/settings'
import { sentences } from './setting-phrases.ts'

declare module '#platform/config' {
  interface Settings {
    /** The providers in the order of the file, which is that of the buttons on the page. */
    openid: OpenIdConfig[]
  }
}

export interface OpenIdConfig {
  id: string
  /** As people read it. */
  name: string
  /** Exactly as the provider names itself in its discovery document and tokens, with the tenant filled in. */
  issuer: string
  clientId: string
  clientSecret: string
  /** What is requested; `openid` is among them. */
  scopes: string[]
  /** The tenant that the tokens must name, by the claim `tid` (Entra) or `hd` (Google); absent: the issuer serves one. */
  tenant: { claim: 'tid' | 'hd'; value: string } | undefined
  /** Whether a person whom nobody knows may enter. */
  create: boolean
  memberships: MembershipRule[]
  proxy: ProxyConfig | 'direct' | undefined
  ca: CaConfig | undefined
}

/** Whose claim `claim` is or has this value becomes a member of the account. */
export interface MembershipRule {
  claim: string
  value: string
  accountId: string
  role: ClaimedRole
  projectIds: string[] | null
}

/** The roles that a claim may give. Owners are made by owners alone, and operators by operators. */
export const claimedRoles = ['admin', 'developer', 'billing', 'viewer'] as const
export type ClaimedRole = (typeof claimedRoles)[number]

const maxProviders = 16
const maxRules = 200

const text = (maxLength: number, expected: Sentence, pattern?: string) =>
  Type.String({ maxLength, ...(pattern && { pattern }), ...readingRules({ expected }) })

const uuid = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'

const Membership = Type.Object({
  claim: text(200, sentences.claim),
  value: text(500, sentences.value),
  account: text(36, sentences.account, uuid),
  role: Type.Unsafe<ClaimedRole>({
    type: 'string',
    ...readingRules({ expected: sentences.role, convert: readRole }),
  }),
  projects: Type.Optional(Type.Array(text(36, sentences.project, uuid), { uniqueItems: true, minItems: 1 })),
})

const Provider = Type.Object({
  id: text(32, sentences.id, '^[a-z][a-z0-9-]{0,31}$'),
  name: text(60, sentences.name, '^[^\\u0000-\\u001f\\u007f<>]{1,60}$'),
  issuer: text(500, sentences.issuer),
  client_id: text(500, sentences.clientId, '^[!-~]{1,500}$'),
  client_secret: Type.String({
    maxLength: 2_000,
    ...readingRules({ secret: true, expected: sentences.clientSecret }),
  }),
  scopes: Type.Optional(
    Type.Array(text(200, sentences.scope, '^[!#-[\\]-~]{1,200}$'), {
      uniqueItems: true,
      description: 'What is requested beside openid; email and profile unless written.',
    }),
  ),
  tenant: Type.Optional(text(253, sentences.tenant, '^[A-Za-z0-9.-]{1,253}$')),
  create: Type.Boolean({
    default: false,
    description: 'Whether people enter whom nobody has invited.',
  }),
  memberships: Type.Optional(Type.Array(Membership)),
  proxy: proxySetting,
  tls: Type.Optional(tlsSetting),
})

export const openid = fileSection({
  name: 'openid',
  schema: Type.Array(Provider, { default: [] }),
  read(typed, { at, processSettings }) {
    if (typed.length > 0) requireBaseUrl(processSettings, at()!)
    if (typed.length > maxProviders) at()!.refuseValue(sentences.providers(maxProviders))
    return typed.map((entry, position) => {
      const node = at(position)!
      const isRepeated = typed.slice(0, position).some(({ id }) => id === entry.id)
      if (isRepeated) refuseConfig(refusals.duplicate(node.sourcePosition('id'), entry.id))
      return readProvider(entry, node)
    })
  },
})

/** Providers send people back to the public address, and to no other. */
function requireBaseUrl({ baseUrl, baseUrlNamed }: ProcessSettings, node: ConfigNode): void {
  if (!baseUrlNamed) refuseConfig(refusals.conflict(node.sourcePosition(), sentences.noBaseUrl))
  const { protocol, hostname } = new URL(baseUrl)
  if (protocol !== 'https:' && !isLoopback(hostname))
    refuseConfig(refusals.conflict(node.sourcePosition(), sentences.insecureBaseUrl))
}

function readProvider(entry: Static<typeof Provider>, node: ConfigNode): OpenIdConfig {
  const rules = entry.memberships ?? []
  if (rules.length > maxRules) node.find('memberships')!.refuseValue(sentences.rules(maxRules))
  return {
    id: entry.id,
    name: entry.name,
    ...readIssuer(entry, node),
    clientId: entry.client_id,
    clientSecret: entry.client_secret,
    scopes: [...new Set(['openid', ...(entry.scopes ?? ['email', 'profile'])])],
    create: entry.create,
    memberships: rules.map((rule) => ({
      claim: rule.claim,
      value: rule.value,
      accountId: rule.account,
      role: rule.role,
      projectIds: rule.projects ?? null,
    })),
    proxy: entry.proxy,
    ca: entry.tls?.ca_file as CaConfig | undefined,
  }
}

/** The names by which Entra serves every tenant at once. Their tokens are issued by each tenant in its own name. */
const tenantPlace = /\/(?:common|organizations|consumers|\{tenant(?:id)?\})(?=\/|$)/i

/** The issuer with its tenant. An issuer of many tenants without one is refused: whoever has a tenant there could sign in as anybody of another. */
function readIssuer(
  { issuer, tenant }: Static<typeof Provider>,
  node: ConfigNode,
): Pick<OpenIdConfig, 'issuer' | 'tenant'> {
  const issuerNode = node.find('issuer')!
  const servesMany = tenantPlace.test(issuer)
  const isEntra = servesMany || /^https:\/\/(?:login\.microsoftonline\.com|sts\.windows\.net)\//i.test(issuer)
  if (servesMany && tenant === undefined)
    refuseConfig(refusals.missing(node.sourcePosition('tenant'), sentences.tenantMissing))
  if (isEntra && tenant !== undefined && !isUuid(tenant))
    node.find('tenant')!.refuseValue(sentences.entraTenant)
  const filled = tenant === undefined ? issuer : issuer.replace(tenantPlace, `/${tenant.toLowerCase()}`)
  if (!isIssuer(filled)) issuerNode.refuseValue(sentences.issuer)
  if (tenant === undefined) return { issuer: filled, tenant: undefined }
  if (isEntra) return { issuer: filled, tenant: { claim: 'tid', value: tenant.toLowerCase() } }
  if (filled === 'https://accounts.google.com')
    return { issuer: filled, tenant: { claim: 'hd', value: tenant.toLowerCase() } }
  return refuseConfig(refusals.conflict(node.find('tenant')!.sourcePosition(), sentences.tenantNeedless))
}

/** An address by HTTPS; by HTTP only on this very machine, because codes and tokens travel to it. */
function isIssuer(issuer: string): boolean {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined
  if (!url || url.username || url.password || /[?#]/.test(issuer)) return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))
}

export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname)

function readRole(role: string, node: ConfigNode): ClaimedRole {
  const known = claimedRoles.find((one) => one === role)
  if (known) return known
  if (role === 'owner' || role === 'operator')
    refuseConfig(refusals.conflict(node.sourcePosition(), sentences.roleTooHigh(role)))
  return node.refuseValue(sentences.role)
}
