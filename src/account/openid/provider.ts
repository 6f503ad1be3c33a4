/** One provider: its discovery document, which is fetched when first needed, and the two halves of the authorisation code flow with PKCE. */
import * as client from 'openid-client'
import { isRecord } from '#platform/json'
import type { Log } from '#platform/log'
import type { Outbound } from '#platform/proxy'
import { type Claims, isSubject, lacks, mergedClaims } from './claims.ts'
import { ProviderAway, providerFetch, requestMs } from './provider-fetch.ts'
import type { OpenIdConfig } from './settings.ts'

/** Providers rotate keys, which are fetched apart, and seldom change their endpoints. */
const keptMs = 60 * 60_000
/** For so long after a failure the provider is not asked again: a page that is reloaded again and again must not become a flood. */
const failedMs = 3_000

/** The provider's answer, or what it says about the person, is not valid. The message names the fault and holds nothing secret. */
export class AnswerInvalid extends Error {
  override name = 'AnswerInvalid'
  /** `denied`: the person or the provider refused. */
  readonly reason: 'denied' | 'invalid'

  constructor(reason: 'denied' | 'invalid', message: string, cause?: unknown) {
    super(message, { cause })
    this.reason = reason
  }
}

/** What a ceremony keeps until the person comes back. */
export interface Expectation {
  state: string
  nonce: string
  /** The secret of PKCE. */
  verifier: string
  redirectUri: string
}

export interface ProviderServices {
  log: Log
  outbound: Outbound
}

export class Provider {
  readonly config: OpenIdConfig
  readonly #services: ProviderServices
  #discovered: { at: number; configuration: Promise<client.Configuration> } | undefined
  #failedAtMs = Number.NEGATIVE_INFINITY

  constructor(config: OpenIdConfig, services: ProviderServices) {
    this.config = config
    this.#services = services
  }

  /** The address to which the browser is sent. With `fresh` the provider has to ask who is there, whoever is signed in. Throws `ProviderAway`. */
  async authorizationUrl(expected: Expectation, { fresh }: { fresh: boolean }): Promise<URL> {
    const configuration = await this.#configuration()
    return client.buildAuthorizationUrl(configuration, {
      redirect_uri: expected.redirectUri,
      scope: this.config.scopes.join(' '),
      state: expected.state,
      nonce: expected.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(expected.verifier),
      code_challenge_method: 'S256',
      // A provider must name auth_time where max_age is requested.
      ...(fresh && { prompt: 'login', max_age: '0' }),
    })
  }

  /**
   * What the provider says about the person who came back with these parameters. Throws `ProviderAway`, and `AnswerInvalid` where state, issuer, code,
   * signature, audience, time or nonce are not as they must be.
   */
  async claims(parameters: URLSearchParams, expected: Expectation): Promise<Claims> {
    const configuration = await this.#configuration()
    const url = new URL(expected.redirectUri)
    url.search = parameters.toString()
    const checks = {
      expectedState: expected.state,
      expectedNonce: expected.nonce,
      pkceCodeVerifier: expected.verifier,
      idTokenExpected: true,
    }
    try {
      const tokens = await client.authorizationCodeGrant(configuration, url, checks)
      const claims = tokens.claims()!
      requireParty(this.config, claims)
      requireTenant(this.config, claims)
      return mergedClaims(claims, await this.#userInfo(configuration, tokens.access_token, claims))
    } catch (error) {
      throw this.#faultOf(error)
    }
  }

  /** The claims of the UserInfo endpoint where the token lacks some that are needed. Its subject is compared with that of the token. */
  async #userInfo(configuration: client.Configuration, accessToken: string, claims: client.IDToken) {
    const wanted = ['email', 'email_verified', ...this.config.memberships.map(({ claim }) => claim)]
    if (configuration.serverMetadata().userinfo_endpoint === undefined || !lacks(claims, wanted)) return {}
    return client.fetchUserInfo(configuration, accessToken, claims.sub)
  }

  async #configuration(): Promise<client.Configuration> {
    const nowMs = performance.now()
    if (nowMs - this.#failedAtMs < failedMs) throw new ProviderAway('it failed just now')
    if (!this.#discovered || nowMs - this.#discovered.at > keptMs)
      this.#discovered = { at: nowMs, configuration: this.#discover() }
    const { configuration } = this.#discovered
    try {
      return await configuration
    } catch (error) {
      if (this.#discovered?.configuration === configuration) {
        this.#discovered = undefined
        this.#failedAtMs = performance.now()
      }
      throw error
    }
  }

  async #discover(): Promise<client.Configuration> {
    const { issuer, clientId, clientSecret } = this.config
    const { log } = this.#services
    try {
      const found = await client.discovery(new URL(issuer), clientId, undefined, undefined, {
        [client.customFetch]: this.#fetch,
        timeout: requestMs / 1_000,
        ...(this.#isInsecure && { execute: [client.allowInsecureRequests] }),
      })
      const metadata = found.serverMetadata()
      if (metadata.issuer !== issuer) throw new ProviderAway(`it calls itself ${printable(metadata.issuer)}`)
      // Made anew from the plain document: what the library knows about single vendors, such as any tenant of Entra, is not wanted.
      const plain = { ...metadata }
      const configuration = new client.Configuration(
        plain,
        clientId,
        undefined,
        authenticationOf(plain, clientSecret),
      )
      configuration[client.customFetch] = this.#fetch
      configuration.timeout = requestMs / 1_000
      if (this.#isInsecure) client.allowInsecureRequests(configuration)
      // Signatures are checked although the token comes by TLS from the provider itself.
      client.enableNonRepudiationChecks(configuration)
      return configuration
    } catch (error) {
      const why = messageOf(awayOf(error) ?? error)
      log.warn({ provider: this.config.id, issuer, why }, 'openid: the provider cannot be reached')
      throw new ProviderAway(why, { cause: error })
    }
  }

  get #fetch(): client.CustomFetch {
    const { proxy, ca } = this.config
    return providerFetch((url) => this.#services.outbound.egressTo(url, { proxy, ca }))
  }

  /** Only an issuer on this very machine is named by http (`settings.ts`). */
  get #isInsecure(): boolean {
    return this.config.issuer.startsWith('http:')
  }

  #faultOf(error: unknown): Error {
    const provider = this.config.id
    const away = awayOf(error)
    const why = messageOf(away ?? error)
    this.#services.log.warn({ provider, why }, 'openid: a sign-in failed')
    if (away) return away
    if (error instanceof AnswerInvalid) return error
    if (error instanceof client.AuthorizationResponseError) return new AnswerInvalid('denied', why, error)
    // The secret of this installation is wrong at the provider: only the operator can cure it.
    if (error instanceof client.ResponseBodyError && error.error !== 'invalid_grant')
      return new ProviderAway(why, { cause: error })
    return new AnswerInvalid('invalid', why, error)
  }
}

/** `client_secret_basic` is what providers accept that name nothing; by POST, no special character of a secret can be encoded in two ways. */
function authenticationOf(metadata: client.ServerMetadata, secret: string): client.ClientAuth {
  const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  return methods.includes('client_secret_post')
    ? client.ClientSecretPost(secret)
    : client.ClientSecretBasic(secret)
}

/** The library compares the audience; a token that was issued to another client is refused where this client is its audience, too. */
function requireParty({ clientId }: OpenIdConfig, { azp, sub }: client.IDToken): void {
  if (azp !== undefined && azp !== clientId)
    throw new AnswerInvalid('invalid', 'the token was issued to another client (azp)')
  if (!isSubject(sub))
    throw new AnswerInvalid('invalid', 'the subject is longer or other than the standard allows')
}

/** An issuer that serves many organisations names that of the person in a claim. */
function requireTenant({ tenant }: OpenIdConfig, claims: client.IDToken): void {
  if (!tenant) return
  const named = claims[tenant.claim]
  if (typeof named !== 'string' || named.toLowerCase() !== tenant.value)
    throw new AnswerInvalid('invalid', `the token is not of the tenant (${tenant.claim})`)
}

/** The `ProviderAway` among the causes of an error, or one in place of a timeout. */
function awayOf(error: unknown): ProviderAway | undefined {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if (at instanceof ProviderAway) return at
    if (at.name === 'TimeoutError') return new ProviderAway('it did not answer in time', { cause: error })
  }
  return undefined
}

/** A fault in words for the log, without causes, which may hold tokens. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const { code, error: named } = error as Error & { code?: unknown; error?: unknown }
  const detail = [code, named].filter((part) => typeof part === 'string').join(', ')
  return printable(detail ? `${error.message} (${detail})` : error.message)
}

const printable = (text: unknown): string =>
  String(isRecord(text) ? 'an object' : text)
    .replace(/[^\x20-\x7e]/g, '?')
    .slice(0, 300)
