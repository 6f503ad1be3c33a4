/** App back-ends: their records, states, keys and limits (docs/decisions/cloud/lifecycle.md). What is in a cloud belongs to other rooms. */
import type { CloudLimits } from './limits.ts'
import type { ReadOnlyReason } from './phrases.ts'

export { cloudHost, cloudPathForm, cloudUrl } from './address.ts'
export { CloudAllowances } from './allowances.ts'
export type { CloudsApp } from './app.ts'
export { hashOfKey } from './app-key.ts'
export { beginDeletion, deleteRecord, isDeleting } from './delete.ts'
export { announceCloud, openCloudDirectory } from './directory.ts'
export { refOf, stateOf } from './directory-store.ts'
export { takeImportSlot } from './import.ts'
export { deleteEnded, deleteKey, keysOf, signingKeysOf } from './key-store.ts'
export { type CloudLimits, findOffer, type LimitSource, limitsOf } from './limits.ts'
export {
  beginMove,
  beginMoveAttempt,
  endMove,
  endUndoing,
  failMoving,
  freezeCloud,
  giveUpMove,
  type MoveRow,
  moveOf,
  requireUnfrozen,
  switchCloud,
  uncountMoveAttempt,
  unfinishedMoves,
} from './moves.ts'
export { resumeCloud, setCloudLimits, setReadOnly, suspendCloud } from './operate.ts'
export { type PackageState, packageState, readOnlyReason } from './package-state.ts'
export { listPackages, type PackageRow, packageOf, packagesOf } from './package-store.ts'
export {
  endPackage,
  givePackage,
  renewPackage,
  suspendUnpaid,
} from './packages.ts'
export { problemPhrases, type ReadOnlyReason, suspensionReasons } from './phrases.ts'
export {
  continueProvisioning,
  createCloud,
  newRef,
  prepareCloud,
  provisionJob,
  retryCloud,
} from './provision.ts'
export { lockReadyCloud, readyErrors, requireCloudOf, requireReadyCloud } from './require.ts'
export { rotateAppKey, rotateSigningKey } from './rotate.ts'
export { maxPackageIdLength } from './settings.ts'
export { newSigningKey, openSigningKey } from './signing-key.ts'
export {
  type CloudRow,
  changeCloud,
  cloudsOfAccount,
  findAnyClouds,
  type KeyRow,
  keyOf,
  listAllClouds,
  listClouds,
  lockCloud,
  type ProgramRecord,
  programRecord,
  raiseFunctionsRevision,
  shareLockReadyCloud,
  unfinishedClouds,
  usageOfDay,
} from './store.ts'

/** The key of a cloud: the first two columns of every table of its contents. */
export interface CloudKey {
  accountId: string
  cloudId: string
}

export type CloudState = 'provisioning' | 'ready' | 'failed' | 'suspended' | 'deleting'

/** The public half of a key that signs sessions. */
export interface SigningKey {
  kid: string
  /** The public key: EC, P-256; without `d`. */
  publicJwk: Readonly<Record<string, string>>
}

/** A cloud as each process keeps it: read once and kept until it changes. */
export interface LiveCloud extends CloudKey {
  readonly projectId: string
  /** The first label of its host: twenty letters. */
  readonly ref: string
  readonly name: string
  readonly plan: 'starter' | 'dedicated'
  /** The package of a dedicated cloud, by its id in the configuration. */
  readonly offer: string | null
  readonly state: CloudState
  /** Why the app of a dedicated cloud only reads (CLOUD_READ_ONLY). */
  readonly readOnlyWhy: ReadOnlyReason | null
  readonly limits: CloudLimits
  /** Keys that are accepted, by the hexadecimal SHA-256 of what is sent. */
  readonly keys: ReadonlyMap<string, 'public' | 'service'>
  /** The keys whose signatures are accepted, the one that signs first. */
  readonly signingKeys: readonly SigningKey[]
  readonly siteUrl: string | null
  readonly disableSignup: boolean
  readonly additionalRedirectUrls: readonly string[]
  /** Whether people may sign in without an address. */
  readonly anonymousSignIns: boolean
  /** Grows with every change of functions and secrets. */
  readonly functionsRevision: number
}

/** Every cloud by its ref, in the memory of each process. Changes come by NOTIFY in the transaction that makes them. */
export interface CloudDirectory extends AsyncDisposable {
  /** Whether a cloud has this ref, from memory. A cloud that is being deleted counts until it is gone. */
  has(ref: string): boolean
  /** The cloud with this ref, also while it is being deleted; undefined where there is none. Throws SERVICE_UNAVAILABLE if it cannot be read. */
  find(ref: string): Promise<LiveCloud | undefined>
  /** The cloud with this ref from memory; undefined too where it was not read lately. */
  findCached(ref: string): LiveCloud | undefined
  /** The listener is called when a cloud was suspended or its deletion began, to end what runs of the cloud. It does not throw. */
  onStopped(listener: (cloud: CloudKey) => void): Disposable
  /** Reads one cloud anew, so that a change that was answered here is found here, too. */
  refresh(cloud: CloudKey): Promise<void>
}
