/** Calls that a Starter cloud refuses, as an app makes them: each gives the error that the app is shown. */

import { vi } from 'vitest'
import type { App } from './app.ts'
import type { Person } from './people.ts'

// biome-ignore lint/suspicious/noExplicitAny: the client is asked for what its types keep from most apps.
type Loose = any

export interface Refusal {
  call: string
  run(app: App, person: Person): Promise<unknown>
}

const id = '00000000-0000-4000-8000-000000000000'
const errorOf = async (asked: PromiseLike<{ error: unknown }>): Promise<unknown> => (await asked).error

/** Of a signed-in user, by the object and its method. */
const asks = (label: string, pick: (client: Loose) => Loose, methods: Record<string, unknown[]>): Refusal[] =>
  Object.entries(methods).map(([name, given]) => ({
    call: `${label}.${name}`,
    run: (_app, { client }) => errorOf(pick(client)[name](...given)),
  }))
const serves = (
  label: string,
  pick: (client: Loose) => Loose,
  methods: Record<string, unknown[]>,
): Refusal[] =>
  Object.entries(methods).map(([name, given]) => ({
    call: `${label}.${name}`,
    run: (app) => errorOf(pick(app.service())[name](...given)),
  }))

async function inBrowser<Result>(run: () => Promise<Result>): Promise<Result> {
  if ('document' in globalThis) return run()
  vi.stubGlobal('window', { PublicKeyCredential: class {} })
  vi.stubGlobal('document', {})
  vi.stubGlobal('navigator', { credentials: { create() {}, get() {} } })
  try {
    return await run()
  } finally {
    vi.unstubAllGlobals()
  }
}

const file = new Blob(['a'], { type: 'text/plain' })

export const refusals: Refusal[] = [
  ...asks('storage', ({ storage }) => storage, {
    listBuckets: [],
    getBucket: ['b'],
    createBucket: ['b'],
    updateBucket: ['b', { public: true }],
    emptyBucket: ['b'],
    deleteBucket: ['b'],
    getBucketLifecycle: ['b'],
    updateBucketLifecycle: ['b', { rules: [] }],
    deleteBucketLifecycle: ['b'],
    purgeBucketCache: ['b'],
  }),
  ...asks('storage.from()', ({ storage }) => storage.from('b'), {
    upload: ['a.txt', file],
    uploadToSignedUrl: ['a.txt', 'token', file],
    createSignedUploadUrl: ['a.txt'],
    update: ['a.txt', file],
    move: ['a.txt', 'b.txt'],
    copy: ['a.txt', 'b.txt'],
    createSignedUrl: ['a.txt', 60],
    createSignedUrls: [['a.txt'], 60],
    download: ['a.txt'],
    info: ['a.txt'],
    remove: [['a.txt']],
    purgeCache: ['a.txt'],
    list: [''],
    listV2: [{}],
  }),
  {
    // It throws what it does not know.
    call: 'storage.from().exists',
    run: (_app, { client }) =>
      client.storage
        .from('b')
        .exists('a.txt')
        .catch((error: unknown) => error),
  },
  ...asks('storage.vectors', ({ storage }) => storage.vectors, {
    createBucket: ['b'],
    getBucket: ['b'],
    listBuckets: [],
    deleteBucket: ['b'],
  }),
  ...asks('storage.vectors.from()', ({ storage }) => storage.vectors.from('b'), {
    createIndex: [{ indexName: 'i', dataType: 'float32', dimension: 2, distanceMetric: 'cosine' }],
    listIndexes: [],
    getIndex: ['i'],
    deleteIndex: ['i'],
  }),
  ...asks('storage.vectors.from().index()', ({ storage }) => storage.vectors.from('b').index('i'), {
    putVectors: [{ vectors: [{ key: 'a', data: { float32: [1, 2] } }] }],
    getVectors: [{ keys: ['a'] }],
    listVectors: [],
    queryVectors: [{ queryVector: { float32: [1, 2] }, topK: 1 }],
    deleteVectors: [{ keys: ['a'] }],
  }),
  ...asks('storage.analytics', ({ storage }) => storage.analytics, {
    createBucket: ['b'],
    listBuckets: [],
    deleteBucket: ['b'],
  }),
  ...asks('client', (client) => client, { rpc: ['total', { a: 1 }] }),
  ...asks('schema()', (client) => client.schema('public'), { rpc: ['total'] }),
  ...asks('select()', (client) => client.from('any').select(), {
    regexMatch: ['name', '^a'],
    regexIMatch: ['name', '^a'],
    geojson: [],
    explain: [],
  }),
  {
    // The client only makes the address, which a browser would follow.
    call: 'auth.signInWithOAuth',
    async run(app, { client }) {
      const { data } = await client.auth.signInWithOAuth({
        provider: 'github',
        options: { skipBrowserRedirect: true },
      })
      const reply = await app.fetch(data.url!)
      const { msg, message } = (await reply.json()) as Record<string, string>
      return { message: message ?? msg }
    },
  },
  ...asks('auth', ({ auth }) => auth, {
    signInWithIdToken: [{ provider: 'google', token: 'x' }],
    linkIdentity: [{ provider: 'github', options: { skipBrowserRedirect: true } }],
    unlinkIdentity: [{ identity_id: id }],
    signInWithSSO: [{ domain: 'example.com' }],
    signInWithWeb3: [{ chain: 'solana', message: 'x', signature: new Uint8Array(64) }],
  }),
  ...asks('auth.oauth', ({ auth }) => auth.oauth, {
    getAuthorizationDetails: [id],
    approveAuthorization: [id],
    denyAuthorization: [id],
    listGrants: [],
    revokeGrant: [{ clientId: id }],
  }),
  ...serves('auth.admin.oauth', ({ auth }) => auth.admin.oauth, {
    listClients: [],
    createClient: [{ client_name: 'a', redirect_uris: ['https://a.example'] }],
    getClient: [id],
    updateClient: [id, { client_name: 'b' }],
    deleteClient: [id],
    regenerateClientSecret: [id],
  }),
  ...serves('auth.admin.customProviders', ({ auth }) => auth.admin.customProviders, {
    listProviders: [],
    createProvider: [
      { identifier: 'a', name: 'a', provider_type: 'oidc', client_id: 'a', client_secret: 'a' },
    ],
    getProvider: ['a'],
    updateProvider: ['a', { name: 'b' }],
    deleteProvider: ['a'],
  }),
  ...['signInWithPasskey', 'registerPasskey'].map((name) => ({
    call: `auth.${name}`,
    // The client asks nobody where a browser has no keys.
    run: (_app: App, { client }: Person) => inBrowser(() => errorOf((client.auth as Loose)[name]())),
  })),
  ...asks('auth.passkey', ({ auth }) => auth.passkey, {
    startRegistration: [],
    verifyRegistration: [{ challengeId: id, credential: {} }],
    startAuthentication: [],
    verifyAuthentication: [{ challengeId: id, credential: {} }],
    list: [],
    update: [{ passkeyId: id, friendlyName: 'a' }],
    delete: [{ passkeyId: id }],
  }),
  ...serves('auth.admin.passkey', ({ auth }) => auth.admin.passkey, {
    listPasskeys: [{ userId: id }],
    deletePasskey: [{ userId: id, passkeyId: id }],
  }),
  ...asks('auth.mfa', ({ auth }) => auth.mfa, {
    enroll: [{ factorType: 'totp' }],
    unenroll: [{ factorId: id }],
    challenge: [{ factorId: id }],
    verify: [{ factorId: id, challengeId: id, code: '123456' }],
    challengeAndVerify: [{ factorId: id, code: '123456' }],
  }),
  ...asks('auth.mfa.recoveryCodes', ({ auth }) => auth.mfa.recoveryCodes, {
    getStatus: [],
    generate: [],
    verify: [{ code: 'a' }],
    regenerate: [],
    unenroll: [],
  }),
  ...serves('auth.admin.mfa', ({ auth }) => auth.admin.mfa, {
    listFactors: [{ userId: id }],
    deleteFactor: [{ userId: id, id }],
  }),
]
