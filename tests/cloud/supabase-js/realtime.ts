/** Channels of the client: subscribing is refused at once, and everything else of them is the client's own affair. */
import { expect } from 'vitest'
import { until } from '../../harness/until.ts'
import type { App } from './app.ts'
import type { Client } from './people.ts'
import type { Scenario } from './scenarios.ts'

/** What the callback of `subscribe` gets, until the channel has ended. */
export async function subscribed(client: Client): Promise<{ states: string[]; error: Error | undefined }> {
  const states: string[] = []
  let error: Error | undefined
  client
    .channel('room')
    .on('broadcast', { event: 'x' }, () => undefined)
    .subscribe((state, why) => {
      states.push(state)
      error ??= why
    })
  await until(() => states.length > 0)
  return { states, error }
}

export const realtime: Scenario[] = [
  {
    name: 'a subscription is told CHANNEL_ERROR with the reason, and the client does not come back',
    calls: ['client.channel', 'channel().on', 'channel().subscribe', 'client.removeAllChannels'],
    async run(app: App) {
      const client = app.client()
      const { states, error } = await subscribed(client)
      expect(states[0]).toBe('CHANNEL_ERROR')
      expect(error?.message).toContain(app.says.realtime)
      await until(() => !client.realtime.isConnected())
      await client.removeAllChannels()
    },
  },
  {
    name: 'what is sent to a channel is refused with its sentence',
    calls: ['channel().send', 'channel().httpSend'],
    async run(app) {
      const channel = app.client().channel('room')
      await expect(channel.httpSend('x', { a: 1 })).rejects.toThrow(app.says.realtime)
      expect(await channel.send({ type: 'broadcast', event: 'x', payload: {} })).toBe('error')
    },
  },
  {
    name: 'a channel that nobody could join has no presence',
    calls: [
      ...['channel().track', 'channel().untrack', 'channel().presenceState', 'channel().updateJoinPayload'],
      ...['channel().unsubscribe', 'channel().teardown', 'channel().copyBindings', 'client.removeChannel'],
      'client.getChannels',
    ],
    async run(app) {
      const client = app.client()
      const channel = client.channel('room')
      await expect(channel.track({ a: 1 })).rejects.toThrow(/before joining/)
      await expect(channel.untrack()).rejects.toThrow(/before joining/)
      expect(channel.presenceState()).toEqual({})
      channel.updateJoinPayload({ access_token: 'x' })
      channel.copyBindings(client.channel('other'))
      expect(client.getChannels()).toHaveLength(2)
      await channel.unsubscribe()
      channel.teardown()
      await client.removeChannel(channel)
    },
  },
  {
    name: 'the line of the client is its own affair',
    calls: [
      ...[
        'endpointURL',
        'getChannels',
        'log',
        'hasLogger',
        'connectionState',
        'isConnected',
        'isConnecting',
        'isDisconnecting',
      ],
      ...[
        'channel',
        'push',
        'setAuth',
        'sendHeartbeat',
        'onHeartbeat',
        'connect',
        'disconnect',
        'removeChannel',
        'removeAllChannels',
      ],
    ].map((name) => `realtime.${name}`),
    async run(app) {
      const { realtime: line } = app.client()
      expect(line.endpointURL()).toContain('/realtime/v1/websocket')
      line.onHeartbeat(() => undefined)
      line.log('test', 'a line')
      expect([line.hasLogger(), line.isConnected(), line.isConnecting(), line.isDisconnecting()]).toEqual([
        ...[false, false, false, false],
      ])
      expect(line.connectionState()).toBe('closed')
      const channel = line.channel('realtime:room')
      expect(line.getChannels()).toEqual([channel])
      line.push({ topic: 'realtime:room', event: 'x', payload: {}, ref: '1' })
      await line.setAuth('x')
      await line.sendHeartbeat()
      await line.removeChannel(channel)
      line.connect()
      await line.disconnect()
      await line.removeAllChannels()
    },
  },
]
