/** A way between this process and a client: a pair of addresses of UDP, or a connection of TCP. */
export interface Path {
  /** The same for all that comes by it. */
  readonly key: string
  readonly transport: 'udp' | 'tcp'
  readonly address: string
  readonly port: number
  /** Bytes that the network has not taken yet. */
  readonly waitingBytes: number
  /** Dropped where the network takes no more. */
  send(datagram: Buffer): void
  close(): void
}
