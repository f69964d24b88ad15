// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import CMicroHTTPD
internal import Glibc

/// The daemon and its callbacks.
extension HTTPServer {
  func startDaemon(_ listener: CInt) -> OpaquePointer? {
    // The daemon is stopped in `stop()`, by `deinit` at the latest, so it never outlives what this points to.
    let me = Unmanaged.passUnretained(self).toOpaque()
    let completed: MHD_RequestCompletedCallback = { server, _, context, code in
      guard let bits = context?.pointee else { return }
      context?.pointee = nil
      Unmanaged<HTTPServer>.fromOpaque(server!)._withUnsafeGuaranteedRef {
        $0.completed(UInt64(UInt(bitPattern: bits)), wholly: code == .REQUEST_TERMINATED_COMPLETED_OK)
      }
    }
    let connectionChanged: MHD_NotifyConnectionCallback = { server, connection, context, code in
      Unmanaged<HTTPServer>.fromOpaque(server!)._withUnsafeGuaranteedRef {
        switch code {
        case .CONNECTION_NOTIFY_STARTED:
          context!.pointee = UnsafeMutableRawPointer(bitPattern: UInt($0.opened(connection!)))
        case .CONNECTION_NOTIFY_CLOSED:
          $0.closed(UInt64(UInt(bitPattern: context!.pointee)))
        }
      }
    }
    let unescape: @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<CChar>?) -> Int = {
      _, _, text in
      // A decoded NUL would end the C string there: "/rpc%00x" would be "/rpc".
      if strchr(text!, 0x25) == nil || strstr(text!, "%00") != nil { return strlen(text!) }
      return MHD_http_unescape(text!)
    }
    var options = [
      MHD_OptionItem(option: .NOTIFY_COMPLETED, value: address(completed), ptr_value: me),
      MHD_OptionItem(option: .NOTIFY_CONNECTION, value: address(connectionChanged), ptr_value: me),
      MHD_OptionItem(option: .UNESCAPE_CALLBACK, value: address(unescape), ptr_value: nil),
      MHD_OptionItem(option: .LISTEN_SOCKET, value: Int(listener), ptr_value: nil),
      MHD_OptionItem(option: .CONNECTION_MEMORY_LIMIT, value: 8_192, ptr_value: nil),
      MHD_OptionItem(option: .CONNECTION_LIMIT, value: configuration.connectionLimit, ptr_value: nil),
      MHD_OptionItem(option: .CONNECTION_TIMEOUT, value: configuration.idleSeconds, ptr_value: nil),
      MHD_OptionItem(option: .END, value: 0, ptr_value: nil),
    ]
    let flags = MHD_USE_EPOLL.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue | MHD_USE_TURBO.rawValue
    return assent_mhd_start(
      flags,
      { server, connection, url, method, version, upload, uploadSize, context in
        Unmanaged<HTTPServer>.fromOpaque(server!)._withUnsafeGuaranteedRef {
          $0.access(connection!, url!, method!, version!, upload, uploadSize!, context!)
        }
      }, me, &options)
  }

  /// A C function's address, as an option's value.
  private func address<Function>(_ function: Function) -> Int {
    Int(bitPattern: unsafeBitCast(function, to: UnsafeRawPointer.self))
  }
}
