/** The parts of werift that this room uses: its SCTP, which it exports only as part of a transport, and members that its types hide. */
import { type RTCDtlsTransport, RTCSctpTransport } from 'werift'

export { type RTCDtlsTransport, RTCSctpTransport }

interface Subject<Args extends unknown[]> {
  subscribe(listener: (...args: Args) => void): unknown
  allUnsubscribe(): void
}

export interface SctpAssociation {
  _inboundStreamsMax: number
  readonly inboundStreams: Record<number, { reassembly: { userData: Buffer }[] }>
  readonly sackMisOrdered: Set<number>
  readonly lastReceivedTsn: number | undefined
  /** The number of the piece that is sent next. */
  readonly localTsn: number
  readonly reconfigQueue: number[]
  readonly advertisedRwnd: number
  sackNeeded: boolean
  sackImmediate: boolean
  readonly onReceive: Subject<[stream: number, kind: number, bytes: Buffer]>
  readonly onReconfigStreams: Subject<[streams: number[]]>
  readonly stateChanged: { closed: Subject<[]> }
  handleData(packet: Buffer): Promise<void>
  send(stream: number, kind: number, bytes: Buffer, options: { ordered: boolean }): Promise<void>
  transmitReconfigRequest(): Promise<void>
  scheduleSack(): Promise<void>
  stop(): Promise<void>
}
