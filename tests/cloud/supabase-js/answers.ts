/** How a cloud of either plan answers each call of the client. The published table is made of it; the tests hold it against the installed client. */
import type { MissingFeature } from '#cloud/app-users'
import { declarationOf, type FailureCode, type Failures, type Localized } from '#platform/errors'
import { refusals } from '../../../src/cloud/cloud-routes/app/rest/refusals.ts'
import '#cloud/cloud-routes'
import '#cloud/app-users'
import '#cloud/buckets'

const sentence = <Code extends FailureCode>(code: Code, detail: Failures[Code]): Localized => {
  const { en, fa } = declarationOf(code)
  return { en: en(detail), fa: fa(detail) }
}
export type Plan = 'starter' | 'dedicated'

const notOffered = (what: MissingFeature): Localized => sentence('APP_USER_NOT_OFFERED', { what })

/** What is refused, with the sentence that every one of these calls gets. */
export const families = {
  realtime: {
    title: { en: 'Realtime', fa: 'بی‌درنگ (realtime)' },
    says: sentence('CLOUD_REALTIME_UNAVAILABLE', {}),
  },
  buckets: {
    title: { en: 'Storage buckets', fa: 'باکت‌های فایل' },
    says: sentence('CLOUD_BUCKETS_UNAVAILABLE', {}),
  },
  vectors: {
    title: { en: 'Vector buckets', fa: 'باکت‌های برداری' },
    says: sentence('BUCKETS_NOT_OFFERED', { what: 'vectors' }),
  },
  analytics: {
    title: { en: 'Analytics buckets', fa: 'باکت‌های تحلیلی' },
    says: sentence('BUCKETS_NOT_OFFERED', { what: 'analytics' }),
  },
  lifecycle: {
    title: { en: 'Lifecycle rules of buckets', fa: 'قاعده‌های چرخهٔ عمر باکت' },
    says: sentence('BUCKETS_NOT_OFFERED', { what: 'lifecycle' }),
  },
  rpc: {
    title: { en: 'Database functions', fa: 'تابع‌های پایگاه داده' },
    says: refusals.rpc('total').message,
  },
  oauth: { title: { en: 'OAuth', fa: 'OAuth' }, says: notOffered('oauth') },
  oauth_server: { title: { en: 'OAuth server', fa: 'سرور OAuth' }, says: notOffered('oauth_server') },
  sso: { title: { en: 'SSO', fa: 'SSO' }, says: notOffered('sso') },
  web3: { title: { en: 'web3', fa: 'web3' }, says: notOffered('web3') },
  passkeys: { title: { en: 'Passkeys', fa: 'رمز دستگاه (passkey)' }, says: notOffered('passkeys') },
  mfa: { title: { en: 'Second factor', fa: 'عامل دوم' }, says: notOffered('mfa') },
  embeds: {
    title: { en: 'Embedded resources', fa: 'جدول‌های تودرتو (embed)' },
    says: refusals.embed('customers').message,
  },
  regex: { title: { en: 'Regular expressions', fa: 'عبارت‌های منظم' }, says: refusals.regex.message },
  formats: {
    title: { en: 'Formats of SQL tables', fa: 'قالب‌های جدول SQL' },
    says: refusals.mediaType('application/geo+json').message,
  },
} satisfies Record<string, { title: Localized; says: Localized }>

export type Family = keyof typeof families

const all = (label: string, names: string): string[] => names.split(' ').map((name) => `${label}.${name}`)

export const sentences = (): Record<Family, string> =>
  Object.fromEntries(Object.entries(families).map(([name, { says }]) => [name, says.en])) as Record<
    Family,
    string
  >

const buckets = [
  ...all(
    'storage',
    'listBuckets getBucket createBucket updateBucket emptyBucket deleteBucket purgeBucketCache',
  ),
  ...all('storage.from()', 'upload uploadToSignedUrl createSignedUploadUrl update move copy createSignedUrl'),
  ...all('storage.from()', 'createSignedUrls download info exists remove purgeCache list listV2'),
]
const lifecycle = all('storage', 'getBucketLifecycle updateBucketLifecycle deleteBucketLifecycle')
const vectors = [
  ...all('storage.vectors', 'createBucket getBucket listBuckets deleteBucket'),
  ...all('storage.vectors.from()', 'createIndex listIndexes getIndex deleteIndex'),
  ...all('storage.vectors.from().index()', 'putVectors getVectors listVectors queryVectors deleteVectors'),
]
const analytics = all('storage.analytics', 'createBucket listBuckets deleteBucket')

/** By either plan. */
const byBoth = {
  realtime: all('channel()', 'subscribe send httpSend track untrack'),
  oauth: all('auth', 'signInWithOAuth signInWithIdToken linkIdentity unlinkIdentity'),
  oauth_server: [
    ...all(
      'auth.oauth',
      'getAuthorizationDetails approveAuthorization denyAuthorization listGrants revokeGrant',
    ),
    ...all('auth.admin.oauth', 'listClients createClient getClient updateClient deleteClient'),
    ...all('auth.admin.oauth', 'regenerateClientSecret'),
    ...all(
      'auth.admin.customProviders',
      'listProviders createProvider getProvider updateProvider deleteProvider',
    ),
  ],
  sso: ['auth.signInWithSSO'],
  web3: ['auth.signInWithWeb3'],
  passkeys: [
    ...all('auth', 'signInWithPasskey registerPasskey'),
    ...all('auth.passkey', 'startRegistration verifyRegistration startAuthentication verifyAuthentication'),
    ...all('auth.passkey', 'list update delete'),
    ...all('auth.admin.passkey', 'listPasskeys deletePasskey'),
  ],
  mfa: [
    ...all('auth.mfa', 'verify enroll unenroll challenge challengeAndVerify'),
    ...all('auth.mfa.recoveryCodes', 'getStatus generate verify regenerate unenroll'),
    ...all('auth.admin.mfa', 'listFactors deleteFactor'),
  ],
  formats: all('select()', 'geojson explain'),
}

export const refused: Record<Plan, Partial<Record<Family, string[]>>> = {
  starter: {
    ...byBoth,
    buckets: [...buckets, ...lifecycle, ...vectors, ...analytics],
    rpc: ['client.rpc', 'schema().rpc'],
    regex: all('select()', 'regexMatch regexIMatch'),
    // A form of `select`, no call of its own.
    embeds: [],
  },
  dedicated: { ...byBoth, lifecycle, vectors, analytics },
}

/** Calls that send nothing: the client answers them by itself. */
export const local: string[] = [
  ...all('client', 'channel getChannels removeChannel removeAllChannels schema from'),
  ...all('schema()', 'from schema'),
  ...all(
    'auth',
    'isThrowOnErrorEnabled initialize getSession onAuthStateChange startAutoRefresh stopAutoRefresh dispose',
  ),
  ...all('auth.mfa', 'getAuthenticatorAssuranceLevel'),
  ...all('storage', 'from throwOnError setHeader'),
  ...all('storage.from()', 'getPublicUrl toBase64 throwOnError setHeader'),
  ...all('storage.vectors', 'from throwOnError setHeader'),
  ...all('storage.vectors.from()', 'index throwOnError setHeader'),
  ...all('storage.vectors.from().index()', 'throwOnError setHeader'),
  ...all('storage.analytics', 'from throwOnError setHeader'),
  'functions.setAuth',
  ...all(
    'realtime',
    'connect endpointURL disconnect getChannels removeChannel removeAllChannels log hasLogger',
  ),
  ...all(
    'realtime',
    'connectionState isConnected isConnecting isDisconnecting channel push setAuth sendHeartbeat onHeartbeat',
  ),
  ...all('channel()', 'presenceState on updateJoinPayload unsubscribe teardown copyBindings'),
]

export type Answer = { kind: 'works' } | { kind: 'local' } | { kind: 'refused'; family: Family }

export function answerOf(call: string, plan: Plan): Answer {
  for (const [family, calls] of Object.entries(refused[plan]))
    if (calls.includes(call)) return { kind: 'refused', family: family as Family }
  return { kind: local.includes(call) ? 'local' : 'works' }
}

/** With which sentence a call is refused. */
export function sentenceOf(call: string, plan: Plan): string {
  const answer = answerOf(call, plan)
  if (answer.kind !== 'refused') throw new Error(`${call} is no refusal.`)
  const { en } = families[answer.family].says
  // Which type it is that nothing has is each call's own.
  return answer.family === 'formats' ? en.slice(0, en.indexOf(':')) : en
}
