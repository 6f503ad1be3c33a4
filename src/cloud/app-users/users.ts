/** The state of app users in every process: keys that sign, and which sessions are alive. */
import type { KeyObject } from 'node:crypto'
import type { HashingTurns, PasswordHashing } from '#account/sign-in'
import { type CloudKey, type LiveCloud, openSigningKey } from '#cloud/clouds'
import type { CloudDatabases } from '#cloud/databases'
import type { Clock } from '#platform/clock'
import type { Config } from '#platform/config'
import type { Db } from '#platform/db'
import { fail } from '#platform/errors'
import type { Secrets } from '#platform/secrets'
import { type AccessToken, type CheckedTokens, readAccessToken } from './access-token.ts'
import type { UsersApp } from './app.ts'
import { LiveSessions } from './live-sessions.ts'

interface AppUsersDependencies {
  config: Config
  db: Db
  databases: CloudDatabases
  clock: Clock
  secrets: Secrets
  /** Passwords of app users are hashed in turns with those of people. */
  hashing: HashingTurns
}

interface SigningSecret {
  kid: string
  privateKey: KeyObject
}

/** The state of app users that every process keeps in memory. */
export interface AppUsers extends AsyncDisposable {
  /** Subjects are ids of clouds. Throws APP_USERS_BUSY. */
  readonly passwords: PasswordHashing
  /** Throws APP_USER_TOKEN_INVALID, APP_USER_TOKEN_EXPIRED and APP_USER_SESSION_ENDED. */
  verify(cloud: LiveCloud, token: string): Promise<AccessToken>
  /** The private key that signs now. */
  signingKey(cloud: LiveCloud): Promise<SigningSecret>
  /** Whether it is time to delete what has expired in a database that is awake now; once an hour. */
  isSweepDue(cloud: CloudKey): boolean
  /** Called after sessions of users were ended here, so that the next call queries the database. */
  forget(...userIds: readonly string[]): void
}

export const openAppUsers = (ground: AppUsersDependencies): AppUsers => new Users(ground)

const keptKeys = 1_000
const sweepMs = 60 * 60 * 1000

class Users implements AppUsers {
  readonly #ground: AppUsersDependencies
  readonly #live: LiveSessions
  readonly #checked: CheckedTokens = new Map()
  /** Signing keys by the id of their cloud. */
  readonly #keys = new Map<string, Promise<SigningSecret>>()
  /** When clouds with a database of their own were swept. */
  readonly #swept = new Map<string, number>()
  readonly passwords: PasswordHashing

  constructor(ground: AppUsersDependencies) {
    this.#ground = ground
    this.passwords = ground.hashing.hashingFor('clouds', () =>
      fail('APP_USERS_BUSY', {}, { retryAfterMs: 2_000 }),
    )
    this.#live = new LiveSessions(ground)
  }

  async verify(cloud: LiveCloud, token: string): Promise<AccessToken> {
    const { config, clock } = this.#ground
    const read = readAccessToken(config, cloud, token, { nowMs: clock.nowMs(), checked: this.#checked })
    if (!(await this.#live.isAlive(cloud, read))) fail('APP_USER_SESSION_ENDED', {})
    return read
  }

  /** Returns the kept key, which is read anew when the cloud's first key is another one. */
  async signingKey(cloud: LiveCloud): Promise<SigningSecret> {
    const newest = cloud.signingKeys[0]?.kid
    const kept = await this.#keys.get(cloud.cloudId)
    if (kept && kept.kid === newest) return kept
    const reading = openSigningKey(this.#ground, cloud)
    this.#keys.set(cloud.cloudId, reading)
    if (this.#keys.size > keptKeys) this.#keys.delete(this.#keys.keys().next().value!)
    reading.catch(() => this.#keys.delete(cloud.cloudId))
    return reading
  }

  isSweepDue({ cloudId }: CloudKey): boolean {
    const nowMs = this.#ground.clock.nowMs()
    const sweptMs = this.#swept.get(cloudId)
    if (sweptMs !== undefined && nowMs - sweptMs < sweepMs) return false
    this.#swept.delete(cloudId)
    this.#swept.set(cloudId, nowMs)
    if (this.#swept.size > keptKeys) this.#swept.delete(this.#swept.keys().next().value!)
    return true
  }

  forget(...userIds: readonly string[]): void {
    this.#live.forget(...userIds)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#live[Symbol.asyncDispose]()
  }
}

/**
 * Returns whose access token this is. Throws APP_USER_TOKEN_INVALID, APP_USER_TOKEN_EXPIRED and APP_USER_SESSION_ENDED, also for users who are
 * blocked or deleted.
 */
export const verifyAccessToken = (
  { appUsers }: Pick<UsersApp, 'appUsers'>,
  cloud: LiveCloud,
  token: string,
): Promise<AccessToken> => appUsers.verify(cloud, token)
