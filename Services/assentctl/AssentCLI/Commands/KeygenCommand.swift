// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import RPCZeroMQ
internal import ZeroMQ

enum KeygenCommand: Command {
  static let words = ["keygen"]
  static let summary = "makes CURVE key pairs: one, or those of a whole deployment"
  static let usage = "(FILE | --deployment DIR [--rotate NAME | --retire NAME | --client NAME])"
  static let details = """
    With FILE a pair is made in a new file, mode 0600, and its public key is printed.

    With --deployment each program gets a pair and the list of its peers, in DIR/NAME/curve.key and
    DIR/NAME/curve.peers; the public keys are printed. Pairs that are there stay. Running programs read their
    files again when they change:

      --rotate NAME makes a new pair and keeps the old one beside it; all peers learn both
      --retire NAME forgets the old one; some seconds later is soon enough
      --client NAME lets a client in at the gateway's ZeroMQ face, by the pair in DIR/client-NAME
    """
  static let options = [
    Option("--deployment", "DIR", "the folder of all programs' keys"),
    Option("--rotate", "NAME", "a service, gateway, operator or client-NAME"),
    Option("--retire", "NAME", "likewise"),
    Option("--client", "NAME", "a client of the gateway's ZeroMQ face"),
  ]

  static func run(_ arguments: Arguments, _ session: Session) async throws -> ProgramStatus {
    guard let folder = arguments.value("--deployment") else {
      guard arguments.words.count == 1, arguments.optionNames.isDisjoint(with: options.map(\.name)) else {
        throw UsageError("keygen takes one FILE, or --deployment DIR")
      }
      let pair = try CurveKeyPair.generate()
      try KeyDeployment.create(arguments.words[0], [pair], note: "a CURVE key pair")
      show([("key", [pair.publicKey])], session.output)
      return .done
    }
    guard arguments.words.isEmpty, arguments.optionNames.intersection(["--rotate", "--retire", "--client"]).count <= 1
    else { throw UsageError("keygen --deployment takes one of --rotate, --retire and --client, and no words") }
    var deployment = try KeyDeployment(folder)
    if let name = arguments.value("--client") { try deployment.addClient(name) }
    if let name = arguments.value("--rotate") { try deployment.rotate(name) }
    if let name = arguments.value("--retire") { try deployment.retire(name) }
    try deployment.write()
    show(deployment.publicKeys, session.output)
    return .done
  }

  private static func show(_ keys: [(name: String, keys: [CurvePublicKey])], _ output: Output) {
    if output.isJSON {
      let object = Dictionary(uniqueKeysWithValues: keys.map { ($0.name, $0.keys.map(\.z85)) })
      output.result((try? JSON.encode(object)) ?? [])
    } else if keys.count == 1, keys[0].keys.count == 1 {
      output.line(keys[0].keys[0].z85)
    } else {
      output.table(keys.flatMap { name, keys in keys.map { [name, $0.z85] } })
    }
  }
}
