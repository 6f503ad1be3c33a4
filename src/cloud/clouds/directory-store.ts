import type { Db } from '#platform/db'
import type { CloudKey, CloudState, LiveCloud } from './clouds.ts'
import { limitsOf } from './limits.ts'
import { type PackagePayment, readOnlyReason } from './package-state.ts'
import type { CloudsConfig } from './settings.ts'
import type { CloudRow } from './store.ts'

export interface LoadedCloud {
  cloud: LiveCloud
  /** When the first of its keys, or the paid time of its package, ends. */
  validUntilMs: number
}

interface LiveRow extends CloudRow {
  keys: { hash: string; kind: 'public' | 'service'; expires: number | null }[]
  package_paid_until: Date | null
  package_ended_at: Date | null
  /** The package of a dedicated cloud, if it has one. */
  package_id: string | null
  signing_keys: { kid: string; jwk: Record<string, string>; expires: number | null }[]
}

const expires = 'extract(epoch from k.expires_at) * 1000'

/** The cloud with this ref; undefined where there is none. */
export async function readLiveCloud(
  db: Db,
  config: CloudsConfig,
  ref: string,
  nowMs: number,
): Promise<LoadedCloud | undefined> {
  const [row] = await db.query<LiveRow>(
    {
      name: 'clouds.read_live',
      text: `select c.*, p.package_id, p.paid_until as package_paid_until, p.ended_at as package_ended_at,
          coalesce((select json_agg(json_build_object('hash', encode(k.hash, 'hex'), 'kind', k.kind, 'expires', ${expires}))
            from clouds.keys k where k.account_id = c.account_id and k.cloud_id = c.cloud_id), '[]') as keys,
          coalesce((select json_agg(json_build_object('kid', k.kid, 'jwk', k.public_jwk, 'expires', ${expires}) order by k.retired_at desc nulls first)
            from clouds.signing_keys k where k.account_id = c.account_id and k.cloud_id = c.cloud_id), '[]') as signing_keys
        from clouds.clouds c
        left join clouds.packages p on p.account_id = c.account_id and p.cloud_id = c.cloud_id
        where (c.account_id, c.cloud_id) = (select account_id, cloud_id from clouds.refs where ref = $1)`,
    },
    [ref],
  )
  return row && toLive(config, row, nowMs)
}

/** The package that the cloud uses, from the joined row. */
const packageIn = (row: LiveRow): PackagePayment | undefined =>
  row.package_id === null ? undefined : { paid_until: row.package_paid_until, ended_at: row.package_ended_at }

function toLive(config: CloudsConfig, row: LiveRow, nowMs: number): LoadedCloud {
  const isValid = ({ expires: at }: { expires: number | null }) => at === null || at > nowMs
  const keys = row.keys.filter(isValid)
  const signingKeys = row.signing_keys.filter(isValid)
  const paidUntilMs = row.package_paid_until?.getTime() ?? Number.POSITIVE_INFINITY
  const ends = [...keys, ...signingKeys].map(({ expires: at }) => at ?? Number.POSITIVE_INFINITY)
  if (paidUntilMs > nowMs) ends.push(paidUntilMs)
  const cloud: LiveCloud = {
    accountId: row.account_id,
    cloudId: row.cloud_id,
    projectId: row.project_id,
    ref: row.ref,
    name: row.name,
    plan: row.plan,
    offer: row.offer,
    readOnlyWhy: readOnlyReason(config, row, packageIn(row), nowMs),
    state: stateOf(row),
    limits: limitsOf(config, row),
    keys: new Map(keys.map(({ hash, kind }) => [hash, kind])),
    signingKeys: signingKeys.map(({ kid, jwk }) => ({ kid, publicJwk: jwk })),
    siteUrl: row.site_url,
    disableSignup: row.disable_signup,
    additionalRedirectUrls: row.additional_redirect_urls,
    anonymousSignIns: row.anonymous_sign_ins,
    functionsRevision: Number(row.functions_revision),
  }
  return { cloud, validUntilMs: Math.min(...ends) }
}

/** The state that is shown: `suspended` where the operator has suspended it, unless it is being deleted. */
export const stateOf = ({ state, suspended_at }: Pick<CloudRow, 'state' | 'suspended_at'>): CloudState =>
  suspended_at !== null && state !== 'deleting' ? 'suspended' : state

/** The ref of a cloud; undefined where the cloud is gone. */
export async function refOf(db: Db, { accountId, cloudId }: CloudKey): Promise<string | undefined> {
  const [row] = await db.query<{ ref: string }>(
    { text: 'select ref from clouds.clouds where account_id = $1 and cloud_id = $2' },
    [accountId, cloudId],
  )
  return row?.ref
}

/** The refs after this one, in order. */
export async function readRefs(db: Db, after: string, limit: number): Promise<string[]> {
  const rows = await db.query<{ ref: string }>(
    { text: 'select ref from clouds.refs where ref > $1 order by ref limit $2' },
    [after, limit],
  )
  return rows.map(({ ref }) => ref)
}
