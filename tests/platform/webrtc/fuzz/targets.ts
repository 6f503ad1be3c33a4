/** The targets of the fuzzer, and which of them a case belongs to. */
import type { FuzzContext, Target } from './context.ts'
import { DtlsTarget } from './targets/dtls.ts'
import { LeanTarget } from './targets/lean.ts'
import { SctpTarget } from './targets/sctp.ts'
import { SdpTarget } from './targets/sdp.ts'
import { ClientSoundTarget, StrangerSoundTarget } from './targets/srtp.ts'
import { StunTarget } from './targets/stun.ts'
import { TcpTarget } from './targets/tcp.ts'

export const targetNames = [
  'sdp',
  'stun',
  'dtls',
  'srtp-stranger',
  'srtp-client',
  'sctp',
  'tcp',
  'dtls-lean',
] as const
export type TargetName = (typeof targetNames)[number]

/** After so many cases all connections are closed, and a healthy client calls; cases of one block may share connections. */
export const blockCases = 1_000

/** What takes turns; the data channel has most, since its packets are the least bounded. */
const turns: readonly TargetName[] = [
  ...(['sdp', 'stun', 'dtls', 'sctp', 'srtp-client', 'tcp', 'sctp', 'stun'] as const),
  ...(['dtls', 'srtp-stranger', 'sctp', 'sdp', 'tcp', 'sctp', 'srtp-client', 'dtls'] as const),
]

/** A handshake of another implementation is in each half of a block, since it waits. */
export const targetOf = (number: number): TargetName =>
  number % 500 === 499 ? 'dtls-lean' : turns[number % turns.length]!

export const openTargets = (context: FuzzContext): Record<TargetName, Target> => ({
  sdp: new SdpTarget(context),
  stun: new StunTarget(context),
  dtls: new DtlsTarget(context),
  'srtp-stranger': new StrangerSoundTarget(context),
  'srtp-client': new ClientSoundTarget(context),
  sctp: new SctpTarget(context),
  tcp: new TcpTarget(context),
  'dtls-lean': new LeanTarget(context),
})
