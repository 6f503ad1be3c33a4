/** A path between this process and a client: a pair of UDP addresses, or a TCP connection. */
export interface Path {
  /** The key, which is the same for all datagrams of this path. */
  readonly key: string
  readonly transport: 'udp' | 'tcp'
  readonly address: string
  readonly port: number
  /** Bytes that the network has not taken yet. */
  readonly waitingBytes: number
  /** Sends a datagram, or drops it if the network accepts no more. */
  send(datagram: Buffer): void
  close(): void
}
