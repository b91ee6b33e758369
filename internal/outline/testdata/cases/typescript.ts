import type { A } from './a';
import * as ns from "ns";

export interface Options<T extends { a: string }> extends Base<T> {
  method(): void;
  prop: () => void;
}

export type Union =
  | { kind: "a"; value: string }
  | ((x: number) => void);

declare global {
  interface Window { custom: string }
}

export const enum Color { Red = "red", Blue = "blue" }

export abstract class Repo<T extends { id: string }, U = Map<string, T>> extends Base<T> implements Store<U> {
  private readonly items: Map<string, T> = new Map()
  static instance?: Repo<any, any>
  handler: (x: T) => void = (x) => {}
  public constructor(private readonly db: { open(): void }, protected x = 1) {
    super()
  }
  find(id: string): Promise<T>
  find(id: number): Promise<T>
  find(id: any): { a: T } | undefined { return undefined }
  @Decorator({ a: "}" })
  protected abstract load<K extends keyof T>(key: K): T[K];
  get size(): number { return this.items.size }
  async *stream(): AsyncGenerator<T, void> { }
  private isIt(x: unknown): x is T { return true }
  declare optional?: string
  accessor value = 1
}

namespace Outer.Inner {
  export function helper(): asserts x is string { }
}

declare module "external" {
  export function declared(a: number): string;
}

export function overload(a: string): string;
export function overload(a: any): any { return a < 1 ? { b: 2 } : a > 2; }

export const generic = <T,>(x: T): x is T => true;
const annotated: (a: string) => void = (a) => { };
const parser: Parser<{ a: string }> = function () { };
function assertNever(x: never): never { throw new Error(`Unexpected ${x}`) }
export default class { method() {} }
let type = 1; type = 2;
