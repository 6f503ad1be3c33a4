/**
 * The models of a server that many tests share: those of the sandbox, and of the worlds that are open now. A world adds the providers and
 * models of its configuration and takes them away at its end. They have breakers, drains and connections of their own, as on a new server.
 */
import assert from 'node:assert/strict'
import { buildCatalogue, type Catalogue, type Discovery, type NamedModel } from '#core/models'
import { type Inference, type InferenceOptions, openInference, type Upstream } from '#core/routing'
import type { Config } from '#platform/config'
import type { GuardedNet } from '#platform/net'
import { openOutbound } from '#platform/proxy'
import { sandboxModels } from '#sandbox'
import { connect } from '../../src/connect.ts'
import type { AppOptions, ServedModels } from '../../src/open-app.ts'

/** The models of one configuration, and what routes calls to its providers. */
interface Part {
  models: Catalogue
  upstreams: ReadonlyMap<string, Upstream>
  inference: Inference
}

const nothing: Discovery = { providers: [], models: [], silent: [] }

export class SharedModels {
  /** That of each open world, the newest first, then the server's own, which has the sandbox alone. */
  readonly #parts: Part[] = []
  /** Those of all parts. */
  readonly #upstreams = new Map<string, Upstream>()
  #options: InferenceOptions | undefined

  /** For `startKherad`. */
  get options(): Required<Pick<AppOptions, 'models' | 'inference'>> {
    let own: ServedModels
    return {
      models: (configured) => {
        own = configured
        return { models: this.#catalogue(), upstreams: this.#upstreams }
      },
      inference: (options) => {
        this.#options = options
        const inference = openInference({ ...options, ...own })
        this.#parts.push({ ...own, inference })
        this.#join()
        return this.#inference(inference)
      },
    }
  }

  /** Serves the models of this configuration until it is disposed. Of the same name in two open worlds the newer is found. */
  add(config: Config, net: GuardedNet): AsyncDisposable {
    const opening = new AsyncDisposableStack()
    const models = buildCatalogue(config, nothing, sandboxModels)
    const upstreams = connect(models, net, openOutbound(config), opening)
    const inference = opening.use(openInference({ ...this.#options!, models, upstreams }))
    const part = { models, upstreams, inference }
    this.#parts.unshift(part)
    this.#join()
    return {
      [Symbol.asyncDispose]: async () => {
        // Calls under way end while their provider can still be found.
        await opening.disposeAsync()
        this.#parts.splice(this.#parts.indexOf(part), 1)
        this.#join()
      },
    }
  }

  #join(): void {
    this.#upstreams.clear()
    for (const { upstreams } of this.#parts.toReversed())
      for (const [id, upstream] of upstreams) this.#upstreams.set(id, upstream)
  }

  /** Models of the sandbox are in every part; the server's own, which never ends, routes them. */
  #partOf(model: Pick<NamedModel, 'deployments'>): Part {
    const has = ({ models }: Part) => models.list().some((own) => own.deployments === model.deployments)
    const part = this.#parts.findLast(has)
    assert(part, 'the world of this model has ended')
    return part
  }

  /** What calls use that name no model is decided by the newest part. */
  #catalogue(): Catalogue {
    const parts = this.#parts
    const joined: Partial<Catalogue> = {
      find: (name) => parts.map(({ models }) => models.find(name)).find((model) => model !== undefined),
      list: () => firstOfEach(parts.flatMap(({ models }) => models.list())),
      realtimeOf: (model) => this.#partOf(model).models.realtimeOf(model),
      providers: () => firstOfEach(parts.flatMap(({ models }) => models.providers())),
      provider: (id) => parts.find(({ upstreams }) => upstreams.has(id))!.models.provider(id),
    }
    return new Proxy(joined as Catalogue, {
      get: (own, name: keyof Catalogue) => own[name] ?? parts[0]!.models[name],
    })
  }

  #inference(own: Inference): Inference {
    const of = (model: Pick<NamedModel, 'deployments'>) => this.#partOf(model).inference
    return {
      start: (options) => of(options.model).start(options),
      startOrder: (options) => of(options.candidates[0]!.model).startOrder(options),
      upstreamOf: (provider) => this.#upstreams.get(provider),
      maxMs: (model) => of(model).maxMs(model),
      maxPictures: (model) => of(model).maxPictures(model),
      modelsFor: (options) => of(options.model).modelsFor(options),
      linkOpener: (options) => of(options.model).linkOpener(options),
      [Symbol.asyncDispose]: () => own[Symbol.asyncDispose](),
    }
  }
}

const firstOfEach = <Named extends { id: string }>(all: readonly Named[]): Named[] =>
  all.filter(({ id }, at) => all.findIndex((one) => one.id === id) === at)
